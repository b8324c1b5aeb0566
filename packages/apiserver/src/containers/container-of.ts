import { objectAt, objectsAt, own, stringAt } from '@wherry/cel/internal'
import type { KubeObject } from '../objects/object.ts'
import { StatusError } from '../status.ts'

const statusLists = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const

const defaultContainer = 'kubectl.kubernetes.io/default-container'

/** The container that a request means, once `checkLogged` has found that there is one. */
export function containerOf(pod: KubeObject, asked: string | null): string {
  if (asked !== null && asked !== '') return asked
  const [first] = objectsAt(objectAt(pod, 'spec') ?? {}, 'containers')
  return pod.metadata.annotations?.[defaultContainer] ?? String(own(first ?? {}, 'name'))
}

type Json = NonNullable<ReturnType<typeof objectAt>>

function statusOf(pod: KubeObject, container: string): Json | undefined {
  const status = objectAt(pod, 'status') ?? {}
  return statusLists.flatMap(list => objectsAt(status, list)).find(one => own(one, 'name') === container)
}

/** Throws what a kubelet says about a container that does not run, as a client of the API server gets it. */
export function checkRuns(pod: KubeObject, container: string): void {
  const state = objectAt(statusOf(pod, container) ?? {}, 'state') ?? {}
  if (objectAt(state, 'running') === undefined) throw new NotRunningError(container)
}

/** A kubelet knows of no such container that runs. */
export class NotRunningError extends Error {
  constructor(container: string) {
    super(`container not found ("${container}")`)
  }
}

/** Throws the 400 of a kubelet for a log that is not there yet, or no more. */
export function checkHasLog(pod: KubeObject, container: string, previous: boolean): void {
  const problem = logProblem(statusOf(pod, container), previous)
  if (problem === undefined) return
  const { name = '' } = pod.metadata
  throw StatusError.badRequest(
    previous
      ? `previous terminated container "${container}" in pod "${name}" not found`
      : `container "${container}" in pod "${name}" ${problem}`,
  )
}

function logProblem(status: Json | undefined, previous: boolean): string | undefined {
  if (status === undefined) return 'is not available'
  const last = objectAt(objectAt(status, 'lastState') ?? {}, 'terminated')
  const hasLast = last !== undefined && (stringAt(last, 'containerID') ?? '') !== ''
  if (previous) return hasLast ? undefined : 'not found'
  const state = objectAt(status, 'state') ?? {}
  if (objectAt(state, 'running') !== undefined) return undefined
  const terminated = objectAt(state, 'terminated')
  if (terminated !== undefined) {
    return hasLast || (stringAt(terminated, 'containerID') ?? '') !== '' ? undefined : 'is terminated'
  }
  if (last !== undefined) return hasLast ? undefined : 'is terminated'
  const waiting = objectAt(state, 'waiting')
  if (waiting === undefined) return 'is waiting to start - no logs yet'
  const reason = stringAt(waiting, 'reason') ?? ''
  if (reason === 'ErrImagePull') return "is waiting to start: image can't be pulled"
  if (reason === 'ImagePullBackOff') return 'is waiting to start: trying and failing to pull image'
  return `is waiting to start: ${reason}`
}
