import { type JsonObject, objectAt, objectsAt, stringAt } from '@wherry/cel/internal'
import { courseOf, type PlayOptions, type PodCourse } from './options.ts'
import { claimKind, controllerOf, identity, isDeleted, numberAt, podKind } from './played-kind.ts'
import { type Ending, podStatus, succeeded } from './pod-status.ts'
import type { Part, Scene } from './scene.ts'

/** The node on which all Pods run. */
const node = 'played-node'

/** How long a container waits before its first restart, and at most, in milliseconds. */
const [firstBackoffMs, longestBackoffMs] = [10_000, 300_000]

/** The scheduler and the kubelet: a Pod gets a node, runs, ends, and is removed after its deletion. */
export function podsPart(scene: Scene, option: PlayOptions['pods'], waitForClaims: boolean): Part {
  const courses = new Map<string, PodCourse>()
  let addresses = 0
  const ips = new Map<string, string>()
  scene.onGone(object => {
    courses.delete(identity(object).uid)
    ips.delete(identity(object).uid)
  })
  return async (_, pod, key) => {
    const { uid, namespace, name } = identity(pod)
    const course = courses.get(uid) ?? courseOf(option, pod, `${namespace}/${name}`)
    courses.set(uid, course)
    if (isDeleted(pod)) return stop(scene, pod, key, course)
    if (isEnded(pod)) return
    if (stringAt(objectAt(pod, 'spec'), 'nodeName') === undefined) return schedule(scene, pod, key, waitForClaims)
    addresses += ips.has(uid) ? 0 : 1
    const ip = ips.get(uid) ?? `10.244.${(addresses >> 8) & 255}.${addresses & 255}`
    ips.set(uid, ip)
    await run(scene, pod, key, course, ip)
  }
}

/** Whether a Pod's containers have ended for good. */
export function isEnded(pod: JsonObject): boolean {
  return ['Succeeded', 'Failed'].includes(stringAt(objectAt(pod, 'status'), 'phase') ?? '')
}

async function schedule(scene: Scene, pod: JsonObject, key: string, waitForClaims: boolean): Promise<void> {
  const { namespace, name, uid } = identity(pod)
  const spec = objectAt(pod, 'spec')
  if (objectsAt(spec, 'schedulingGates').length > 0) return
  for (const volume of waitForClaims ? objectsAt(spec, 'volumes') : []) {
    const claim = stringAt(objectAt(volume, 'persistentVolumeClaim'), 'claimName')
    if (claim === undefined) continue
    const found = scene.get(claimKind, namespace, claim)
    if (stringAt(objectAt(found, 'status'), 'phase') === 'Bound') continue
    return scene.wakeWhen({ kind: claimKind, key: `${namespace}/${claim}` }, podKind, key)
  }
  const target = { apiVersion: 'v1', kind: 'Node', name: node }
  await scene.post(podKind, pod, 'binding', { apiVersion: 'v1', kind: 'Binding', metadata: { name, uid }, target })
}

async function run(scene: Scene, pod: JsonObject, key: string, course: PodCourse, ip: string): Promise<void> {
  const { readyAfterMs = 0, endsAfterMs = 0 } = course
  const show = (state: Parameters<typeof podStatus>[1], ending?: Ending): Promise<void> =>
    scene.status(podKind, pod, podStatus(pod, state, scene.now(), { ending, ip }))
  const [first] = objectsAt(objectAt(pod, 'status'), 'containerStatuses')
  const state = objectAt(first, 'state')
  const restarts = numberAt(first, 'restartCount', 0)
  if (objectAt(state, 'running') !== undefined) {
    const ending = endingOf(pod, course)
    if (ending === undefined || !scene.isDue(pod, `end ${restarts}`, endsAfterMs, podKind, key)) return
    return show(restartsAfter(pod, ending) ? 'backing off' : 'ended', ending)
  }
  if (objectAt(state, 'waiting')?.reason === 'CrashLoopBackOff') {
    const ms = Math.min(firstBackoffMs * 2 ** restarts, longestBackoffMs)
    if (scene.isDue(pod, `restart ${restarts}`, ms, podKind, key)) await show('running')
    return
  }
  await show(scene.isDue(pod, 'ready', readyAfterMs, podKind, key) ? 'running' : 'creating')
}

function endingOf(pod: JsonObject, { ends, exitCode = 1, reason }: PodCourse): Ending | undefined {
  switch (ends ?? (controllerOf(pod)?.kind === 'Job' ? 'succeed' : 'never')) {
    case 'fail':
      return { exitCode, reason: reason ?? 'Error' }
    case 'succeed':
      return { ...succeeded, ...(reason !== undefined && { reason }) }
    default:
      return undefined
  }
}

function restartsAfter(pod: JsonObject, { exitCode }: Ending): boolean {
  const policy = stringAt(objectAt(pod, 'spec'), 'restartPolicy') ?? 'Always'
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0)
}

async function stop(scene: Scene, pod: JsonObject, key: string, { stopsAfterMs = 0 }: PodCourse): Promise<void> {
  const seconds = numberAt(objectAt(pod, 'metadata'), 'deletionGracePeriodSeconds', 0)
  // Only finalizers still keep the Pod.
  if (seconds === 0) return
  if (!scene.isDue(pod, 'stop', Math.min(stopsAfterMs, seconds * 1000), podKind, key)) return
  await scene.delete(podKind, pod, { gracePeriodSeconds: 0 })
}
