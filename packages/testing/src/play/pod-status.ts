import { type JsonObject, objectAt, objectsAt, stringAt } from '@wherry/cel/internal'
import { type Condition, withConditions } from './conditions.ts'
import { numberAt } from './played-kind.ts'

/** The state of a container. */
export type ContainerState = 'creating' | 'running' | 'ended' | 'backing off'

/** How containers ended. */
export interface Ending {
  readonly exitCode: number
  readonly reason: string
}

/** The status of a Pod for a state of its containers. */
export function podStatus(
  pod: JsonObject,
  state: ContainerState,
  now: string,
  { ending, ip }: { readonly ending?: Ending | undefined; readonly ip: string },
): JsonObject {
  const old = objectAt(pod, 'status')
  const phase = state === 'creating' ? 'Pending' : state === 'ended' ? endPhase(ending) : 'Running'
  const generation = objectAt(pod, 'metadata')?.generation
  return {
    ...old,
    ...(generation !== undefined && { observedGeneration: generation }),
    phase,
    hostIP: nodeAddress,
    hostIPs: [{ ip: nodeAddress }],
    ...(state !== 'creating' && { podIP: ip, podIPs: [{ ip }] }),
    startTime: old?.startTime ?? now,
    conditions: withConditions(pod, podConditions(state, phase, pod), now),
    ...(containersOf(pod, 'initContainers').length > 0 && {
      initContainerStatuses: containersOf(pod, 'initContainers').map(one =>
        stringAt(one, 'restartPolicy') === 'Always'
          ? containerStatus(one, oldStatus(old, 'initContainerStatuses', one), state, now, ending)
          : containerStatus(
              one,
              oldStatus(old, 'initContainerStatuses', one),
              state === 'creating' ? 'creating' : 'ended',
              now,
              succeeded,
            ),
      ),
    }),
    containerStatuses: containersOf(pod, 'containers').map(one =>
      containerStatus(one, oldStatus(old, 'containerStatuses', one), state, now, ending),
    ),
  }
}

/** The end of containers that succeed. */
export const succeeded: Ending = { exitCode: 0, reason: 'Completed' }

const nodeAddress = '10.0.0.1'

function endPhase(ending: Ending | undefined): string {
  return ending?.exitCode === 0 ? 'Succeeded' : 'Failed'
}

function podConditions(state: ContainerState, phase: string, pod: JsonObject): Condition[] {
  const isReady = state === 'running'
  const unready =
    state === 'ended'
      ? { reason: phase === 'Succeeded' ? 'PodCompleted' : 'PodFailed' }
      : {
          reason: 'ContainersNotReady',
          message: `containers with unready status: [${containersOf(pod, 'containers')
            .map(one => stringAt(one, 'name'))
            .join(' ')}]`,
        }
  const initialized: Condition =
    state === 'creating' && containersOf(pod, 'initContainers').length > 0
      ? { type: 'Initialized', status: 'False', reason: 'ContainersNotInitialized' }
      : {
          type: 'Initialized',
          status: 'True',
          ...(state === 'ended' && phase === 'Succeeded' && { reason: 'PodCompleted' }),
        }
  const ready = (type: string): Condition =>
    isReady ? { type, status: 'True' } : { type, status: 'False', ...unready }
  return [
    { type: 'PodReadyToStartContainers', status: state === 'running' || state === 'backing off' ? 'True' : 'False' },
    initialized,
    ready('Ready'),
    ready('ContainersReady'),
    { type: 'PodScheduled', status: 'True' },
  ]
}

function containerStatus(
  container: JsonObject,
  old: JsonObject | undefined,
  state: ContainerState,
  now: string,
  ending: Ending | undefined,
): JsonObject {
  const name = stringAt(container, 'name') ?? ''
  const image = stringAt(container, 'image') ?? ''
  const restarts = numberAt(old, 'restartCount', 0)
  const isReady = state === 'running'
  const oldState = objectAt(old, 'state')
  const containerID = `containerd://${name}-${restarts}`
  const startedAt = stringAt(objectAt(oldState, 'running'), 'startedAt') ?? now
  const terminated = { ...(ending ?? succeeded), startedAt, finishedAt: now, containerID }
  const states: Readonly<Record<ContainerState, JsonObject>> = {
    creating: { state: { waiting: { reason: 'ContainerCreating' } }, lastState: {} },
    running: { state: { running: { startedAt } }, lastState: objectAt(old, 'lastState') ?? {} },
    ended: {
      state: objectAt(oldState, 'terminated') === undefined ? { terminated } : (oldState as JsonObject),
      lastState: objectAt(old, 'lastState') ?? {},
    },
    'backing off': {
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState:
        objectAt(oldState, 'running') === undefined ? (objectAt(old, 'lastState') ?? { terminated }) : { terminated },
    },
  }
  return {
    name,
    image,
    imageID: state === 'creating' ? '' : image,
    ready: isReady,
    started: isReady,
    // A restart is counted when the container runs again.
    restartCount: isReady && objectAt(oldState, 'waiting')?.reason === 'CrashLoopBackOff' ? restarts + 1 : restarts,
    ...states[state],
    ...(state !== 'creating' && { containerID }),
  }
}

function containersOf(pod: JsonObject, field: string): JsonObject[] {
  return objectsAt(objectAt(pod, 'spec'), field)
}

function oldStatus(status: JsonObject | undefined, field: string, container: JsonObject): JsonObject | undefined {
  return objectsAt(status, field).find(({ name }) => name === container.name)
}
