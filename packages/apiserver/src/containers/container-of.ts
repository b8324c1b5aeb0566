import { objectAt, objectsAt, own, stringAt } from '@wherry/cel/internal'
import type { KubeObject } from '../objects/object.ts'
import { StatusError } from '../status.ts'

/** The lists of containers, in the order in which a refusal names their containers. */
const lists = ['initContainers', 'containers', 'ephemeralContainers'] as const
const statusLists = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const

/** Whether a pod is on a node. */
export function isOnNode(pod: KubeObject): boolean {
  return (stringAt(objectAt(pod, 'spec'), 'nodeName') ?? '') !== ''
}

/** The container that a request names. Throws the server's 400 if the pod has no such container, or if the request names none of several. */
export function containerOf(pod: KubeObject, asked: string | null): string {
  const spec = objectAt(pod, 'spec') ?? {}
  const { name = '' } = pod.metadata
  const [init = [], main = [], debug = []] = lists.map(list =>
    objectsAt(spec, list).map(one => String(own(one, 'name'))),
  )
  const all = [...init, ...main, ...debug]
  if (asked !== null && asked !== '') {
    if (all.includes(asked)) return asked
    throw StatusError.badRequest(`container ${asked} is not valid for pod ${name}`)
  }
  const [only] = main
  if (only !== undefined && main.length === 1) return only
  throw StatusError.badRequest(`a container name must be specified for pod ${name}, choose one of: [${all.join(' ')}]`)
}

type Json = NonNullable<ReturnType<typeof objectAt>>

function statusOf(pod: KubeObject, container: string): Json | undefined {
  const status = objectAt(pod, 'status') ?? {}
  return statusLists.flatMap(list => objectsAt(status, list)).find(one => own(one, 'name') === container)
}

/** Throws the kubelet's refusal if a container does not run, as a client of the API server gets it. */
export function checkRuns(pod: KubeObject, container: string): void {
  const state = objectAt(statusOf(pod, container) ?? {}, 'state') ?? {}
  if (objectAt(state, 'running') === undefined) throw new NotRunningError(container)
}

/** The kubelet's error about a container that does not run. */
export class NotRunningError extends Error {
  constructor(container: string) {
    super(`container not found ("${container}")`)
  }
}

/** Throws the kubelet's 400 if a container has no log yet, or no longer. */
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
