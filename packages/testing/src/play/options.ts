import { call, checkFields, oneOf, type Taken, text, whole } from '@wherry/apiserver/internal'
import type { JsonObject } from '@wherry/cel/internal'

/** The course of a Pod on its node. */
export interface PodCourse {
  /** The time until the containers are ready, in milliseconds. `Infinity`: they are never ready. @default 0 */
  readonly readyAfterMs?: number | undefined
  /**
   * How the containers end. The `restartPolicy` of the Pod decides what follows. `never`: the containers run until the Pod is deleted.
   * @default 'succeed' for a Pod of a Job, else 'never'
   */
  readonly ends?: 'succeed' | 'fail' | 'never' | undefined
  /** The time from readiness to the end of the containers, in milliseconds. @default 0 */
  readonly endsAfterMs?: number | undefined
  /** The exit code of containers that fail: 1 to 255. @default 1 */
  readonly exitCode?: number | undefined
  /** The reason of the containers' end, such as `OOMKilled`. @default 'Completed', or 'Error' */
  readonly reason?: string | undefined
  /** The time that the containers take to stop when the Pod is deleted, in milliseconds; at most the Pod's grace period. @default 0 */
  readonly stopsAfterMs?: number | undefined
}

/** The Pod that a function receives to choose its course. */
export interface PlayedPod {
  readonly metadata: {
    readonly name: string
    readonly namespace: string
    readonly labels?: Readonly<Record<string, string>> | undefined
    readonly annotations?: Readonly<Record<string, string>> | undefined
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string; readonly uid: string }[]
  }
  readonly spec: {
    readonly containers: readonly {
      readonly name: string
      readonly image?: string
      readonly [field: string]: unknown
    }[]
    readonly [field: string]: unknown
  }
}

/** How a PersistentVolumeClaim gets its volume. */
export interface ClaimCourse {
  /** The time until a claim is bound, in milliseconds. `Infinity`: the claim stays Pending. @default 0 */
  readonly boundAfterMs?: number | undefined
}

/** The kinds of a cluster that are played. Other kinds are left alone. */
export interface PlayOptions {
  /** The scheduler and the kubelet. A function is called once for each Pod. @default false */
  readonly pods?: boolean | PodCourse | ((pod: PlayedPod) => PodCourse) | undefined
  /** Jobs make Pods, and complete or fail. @default false */
  readonly jobs?: boolean | undefined
  /** Deployments make ReplicaSets, and any ReplicaSet makes Pods. @default false */
  readonly deployments?: boolean | undefined
  /** StatefulSets make Pods and claims. @default false */
  readonly statefulSets?: boolean | undefined
  /** PersistentVolumeClaims are bound. @default false */
  readonly persistentVolumeClaims?: boolean | ClaimCourse | undefined
  /**
   * Receives the errors of the play. `settled` and `close` reject with the error that it throws or rejects with.
   *
   * @default `settled` and `close` reject with each error
   */
  readonly onError?: ((error: Error) => void) | undefined
}

const duration: Taken = {
  takes: 'a number of milliseconds of 0 or more, or Infinity',
  ok: value => typeof value === 'number' && value >= 0,
}
const course: Readonly<Record<keyof PodCourse, Taken>> = {
  readyAfterMs: duration,
  ends: oneOf('succeed', 'fail', 'never'),
  endsAfterMs: duration,
  exitCode: whole(1, 255),
  reason: text,
  stopsAfterMs: duration,
}
const isRecord = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)
const orCourse = (others: string, ok: (value: unknown) => boolean): Taken => ({
  takes: `true, false, an object${others}`,
  ok: value => typeof value === 'boolean' || isRecord(value) || ok(value),
})
const flag: Taken = { takes: 'true or false', ok: value => typeof value === 'boolean' }
const options: Readonly<Record<keyof PlayOptions, Taken>> = {
  pods: orCourse(', or a function', value => typeof value === 'function'),
  jobs: flag,
  deployments: flag,
  statefulSets: flag,
  persistentVolumeClaims: orCourse('', () => false),
  onError: call,
}

/** Refuses unknown options, wrong values, and options that play nothing. */
export function checkPlayOptions(given: PlayOptions): void {
  checkFields('play', given, options)
  if (isRecord(given.pods)) checkCourse('play: pods', given.pods)
  if (isRecord(given.persistentVolumeClaims))
    checkFields('play: persistentVolumeClaims', given.persistentVolumeClaims, { boundAfterMs: duration })
  const { onError: _, ...played } = given
  if (!Object.values(played).some(Boolean))
    throw Object.assign(new TypeError('play: names nothing to play, such as { pods: true }'), {
      code: 'ERR_WHERRY_OPTION',
    })
}

/** Refuses a value that is no course of a Pod. */
export function checkCourse(where: string, given: unknown): PodCourse {
  checkFields(where, given, course)
  const checked = given as PodCourse
  for (const [name, ending] of [
    ['exitCode', ['fail']],
    ['reason', ['fail', 'succeed']],
    ['endsAfterMs', [undefined, 'fail', 'succeed']],
  ] as const) {
    if (checked[name] === undefined || (ending as readonly unknown[]).includes(checked.ends)) continue
    const needed = ending.filter(one => one !== undefined).map(one => `'${one}'`)
    throw Object.assign(new TypeError(`${where}: ${name} needs ends: ${needed.join(' or ')}`), {
      code: 'ERR_WHERRY_OPTION',
    })
  }
  return checked
}

/** The course of a Pod by the option `pods`. */
export function courseOf(option: PlayOptions['pods'], pod: JsonObject, name: string): PodCourse {
  if (typeof option === 'function') return checkCourse(`play: pods, for ${name}`, option(pod as unknown as PlayedPod))
  return typeof option === 'object' ? option : {}
}
