import type { Environment, KubernetesObject } from '@wherry/client'
import { Damper } from '@wherry/hash-compare/compare'
import type { WorkQueue } from '@wherry/work-queue'
import { plainCause } from './cause.ts'
import { FlappingError } from './errors.ts'
import type { KeyStates } from './key-states.ts'

/** One way to look at an object that is applied. */
export interface Compared {
  /** The view's key. */
  readonly view: string
  /** `namespace/name` of the object. */
  readonly object: string
  /** Says which parts of it are compared, and how. */
  readonly compared: string
}

/** An object that is there and not as desired. */
export interface Repair extends Compared {
  /** Stands for what would be sent. */
  readonly request: () => string
  /** What others have of the object is left to them. */
  readonly isShared: boolean
  /** What of it is not as desired. */
  readonly differing: readonly string[]
  /** Which object it is, and who controls it. */
  readonly standing: string
  /** A digest of what is compared of it. */
  readonly held: string
}

/** A repair waits. */
export interface Hold {
  readonly delayMs: number
  /** Why it was refused, if that is what it waits for. */
  readonly refusal: { readonly error: unknown } | undefined
  /** Whose doing it is that the object is written again and again; `undefined`: it isn't. */
  readonly by: FlappingError['by'] | undefined
}

/** A digest of what is compared of an object. */
export type DigestOf = (object: KubernetesObject) => string

export interface RepairsParts {
  readonly controller: string
  readonly environment: Environment
  readonly queue: WorkQueue
  readonly states: KeyStates
}

/** What an object was when it was left or found as desired. */
interface Left {
  readonly compared: string
  digest: string
  /** Absent as long as it is compared in one way only. */
  readonly digestOf: DigestOf | undefined
}

/** What is known of an object that was there and was written within the last minutes. */
interface Lately {
  /** When it was written last, on the monotonic clock. */
  at: number
  left: Left[]
  /** It is compared in more than one way. */
  isMixed: boolean
  /** How many writes came in a row that nobody else gave reason for; one goes each second. */
  own: number
  /** When a repair of it was put off last, by whose doing that was. */
  readonly heldAt: { [by in FlappingError['by']]?: number }
}

interface Refusal {
  readonly error: unknown
  readonly standing: string
  readonly at: number
}

/** So long nothing happened to an object, and nothing more is known of it: as long as a {@link Damper} remembers. */
const forgetMs = 600_000
/** So many writes at once may follow from what the controller itself wants; then one a second. */
const ownBurst = 30
const ownMs = 1000
/** In so many ways is one object compared at most: one that changes with each write is of no use. */
const mostWays = 8
/** When a key runs again that found an object changed while it was being refused, in milliseconds. */
const againMs = 1000

/**
 * Puts off the writes of what is written again and again (rule H6), or refused as often (rule X8).
 *
 * - What somebody else has changed since it was as desired is repaired three times at once, then ever later.
 * - What nobody else has changed is wanted differently now. That is no flapping, unless the controller does so without end: then it
 *   is written once a second.
 * - What was refused is refused again: after three times the same request is not sent before its time, while it is the same object
 *   with the same controller.
 */
export class Repairs {
  readonly #parts: RepairsParts
  readonly #repaired = new Damper()
  readonly #refused = new Damper()
  /** In the order in which they were written last. */
  readonly #lately = new Map<string, Lately>()
  /** By request, in the order in which they were refused last. */
  readonly #refusals = new Map<string, Refusal>()
  readonly #repeated = new WeakSet<object>()

  constructor(parts: RepairsParts) {
    this.#parts = parts
  }

  /** Whether a repair has to wait still, and why. */
  hold(key: string, repair: Repair): Hold | undefined {
    this.#prune()
    const text = textOf(key, repair)
    const now = this.#now
    const request = this.#refusals.size === 0 ? '' : requestOf(text, repair)
    const known = this.#refusals.get(request)
    const refusal = known?.standing === repair.standing ? known : undefined
    const refusedMs = refusal === undefined ? 0 : this.#refused.delayMs(request, now)
    const lately = this.#lately.get(text)
    const by = isOthers(lately, repair) ? 'others' : 'itself'
    const repairMs = by === 'others' ? this.#repaired.delayMs(text, now) : ownDelayMs(lately, now)
    const delayMs = Math.max(refusedMs, repairMs)
    if (delayMs === 0) return undefined
    return { delayMs, refusal: refusedMs > 0 ? refusal : undefined, by: repairMs > 0 ? by : undefined }
  }

  /** A repair is to wait: its key runs again then. That an object flaps is told once. */
  putOff(key: string, repair: Repair, { delayMs, refusal, by }: Hold): void {
    const { controller, environment } = this.#parts
    this.#add(key, delayMs)
    if (typeof refusal?.error === 'object' && refusal.error !== null) this.#repeated.add(refusal.error)
    const heldAt = this.#lately.get(textOf(key, repair))?.heldAt
    if (by === undefined || heldAt === undefined) return
    const now = this.#now
    const { [by]: last = Number.NEGATIVE_INFINITY } = heldAt
    heldAt[by] = now
    if (now - last < forgetMs) return
    environment.metrics.count('wherry_apply_flapping_total', { controller })
    const error = new FlappingError(repair.view, repair.object, delayMs, by)
    environment.onError(error, { phase: `apply ${controller}`, resource: repair.view, key })
  }

  /** Whether it was said again of a repair that waits, as it was when it was refused. */
  isRepeated(error: unknown): boolean {
    return typeof error === 'object' && error !== null && this.#repeated.has(error)
  }

  /** An object that was not as desired was written. */
  wrote(key: string, repair: Repair): void {
    const text = textOf(key, repair)
    const now = this.#now
    const known = this.#lately.get(text)
    const byOthers = isOthers(known, repair)
    if (byOthers) this.#repaired.repaired(text, now)
    const lately = known ?? { at: now, left: [], isMixed: false, own: 0, heldAt: {} }
    lately.own = ownAt(lately, now) + (byOthers ? 0 : 1)
    lately.at = now
    this.#lately.delete(text)
    this.#lately.set(text, lately)
    this.#prune()
  }

  /** A request was refused, and would be again. */
  refused(key: string, repair: Repair, error: unknown): void {
    const request = requestOf(textOf(key, repair), repair)
    const now = this.#now
    this.#refused.repaired(request, now)
    this.#refusals.delete(request)
    this.#refusals.set(request, { error, standing: repair.standing, at: now })
    this.#prune()
  }

  /** An object was left, or found, as desired, or as much so as it can be: who changes it from now on is somebody else. */
  settled(key: string, of: Compared, object: KubernetesObject, digestOf: DigestOf): void {
    const lately = this.#lately.size === 0 ? undefined : this.#lately.get(textOf(key, of))
    if (lately === undefined) return
    const { compared } = of
    lately.isMixed ||= lately.left.some(one => one.compared !== compared)
    const left: Left[] = []
    for (const one of lately.left) {
      const digest = one.compared === compared ? undefined : digestIn(one.digestOf, object)
      if (digest !== undefined) left.push({ ...one, digest })
    }
    const digest = digestIn(digestOf, object)
    if (digest !== undefined) left.push({ compared, digest, digestOf: lately.isMixed ? digestOf : undefined })
    lately.left = left.slice(-mostWays)
  }

  /** A key runs again soon: something has changed that nothing will tell of any more. */
  again(key: string): void {
    this.#add(key, againMs)
  }

  #add(key: string, afterMs: number): void {
    const { queue, states } = this.#parts
    states.add(key, due)
    queue.add(key, { afterMs, priority: queue.priorityOf(key) })
  }

  #prune(): void {
    const now = this.#now
    for (const map of [this.#lately, this.#refusals]) {
      for (const [oldest, { at }] of map) {
        if (now - at < forgetMs) break
        map.delete(oldest)
      }
    }
  }

  get #now(): number {
    return this.#parts.environment.clock.monotonic()
  }
}

function textOf(key: string, { view, object }: Compared): string {
  return `${key} ${view} ${object}`
}

function requestOf(text: string, { request, differing }: Repair): string {
  return `${text} ${request()} ${differing}`
}

/**
 * Whether somebody else has changed it since it was as desired. So has one of which nothing is known; not one that is compared
 * in a new way. Of one that is shared it can't be told what of it was changed.
 */
function isOthers(lately: Lately | undefined, { compared, held, isShared }: Repair): boolean {
  if (isShared) return false
  if (lately === undefined) return true
  const left = lately.left.find(one => one.compared === compared)
  return left !== undefined && left.digest !== held
}

/** What is left of it in one way to compare it; `undefined` where that is not known. */
function digestIn(digestOf: DigestOf | undefined, object: KubernetesObject): string | undefined {
  try {
    return digestOf?.(object)
  } catch {
    // What can't be hashed in that way may be right in another.
    return undefined
  }
}

function ownAt({ own, at }: Lately, now: number): number {
  return Math.max(0, own - (now - at) / ownMs)
}

function ownDelayMs(lately: Lately | undefined, now: number): number {
  return lately === undefined ? 0 : Math.max(0, Math.ceil((ownAt(lately, now) + 1 - ownBurst) * ownMs))
}

const due = plainCause('reconcile', 'due')
