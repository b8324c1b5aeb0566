import type { Environment, KubernetesObject } from '@wherry/client'
import { Damper } from '@wherry/hash-compare/compare'
import type { WorkQueue } from '@wherry/work-queue'
import { plainCause } from './cause.ts'
import { FlappingError } from './errors.ts'
import type { KeyStates } from './key-states.ts'

/** An object that is there and not as desired. */
export interface Repair {
  /** The view's key. */
  readonly view: string
  /** `namespace/name` of the object. */
  readonly object: string
  /** A digest of what is desired. */
  readonly wanted: string
  /** Says which parts of it are compared, and how. */
  readonly compared: string
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
  readonly refusal: Refusal | undefined
  /** Whose doing it is that the object is written again and again; `undefined`: it isn't. */
  readonly by: FlappingError['by'] | undefined
}

export interface RepairsParts {
  readonly controller: string
  readonly environment: Environment
  readonly queue: WorkQueue
  readonly states: KeyStates
}

/** What came of a repair. */
export interface Tried {
  /** What was written last of it. */
  readonly written: KubernetesObject | undefined
  /** Why it was refused, if it was in a way that trying again does not change, and what of it is not as desired since. */
  readonly refusal: Refusal | undefined
  /** A digest of what is compared of an object. */
  digestOf(object: KubernetesObject): string
}

export interface Refusal {
  readonly error: unknown
  readonly parts: readonly string[]
}

/** What an object was left as by a write. */
interface Left {
  readonly compared: string
  digest: string
  digestOf(object: KubernetesObject): string
}

/** What is known of an object that was there and was written, or not allowed to be, within the last minutes. */
interface Lately {
  at: number
  /** For each way in which it is compared. Not after the first write: most objects have no second. */
  readonly left: Left[]
  /** How many writes came in a row that nobody else gave reason for; one goes each second. */
  own: number
  isTold: boolean
  refusal: (Refusal & { readonly wanted: string; readonly standing: string }) | undefined
}

/** So long nothing happened to an object, and nothing more is known of it: as long as a {@link Damper} remembers. */
const forgetMs = 600_000
/** So many writes at once may follow from what the controller itself wants; then one a second. */
const ownBurst = 30
const ownMs = 1000

/**
 * Puts off the writes of what is written again and again (rule H6), or refused as often (rule X8).
 *
 * - What somebody else has changed since the last write is repaired three times at once, then ever later.
 * - What nobody else has changed is wanted differently now. That is no flapping, unless the controller does so without end: then it is written
 *   once a second.
 * - What was refused is refused again: after three times it is not sent before its time, while what is desired, the object
 *   and who controls it are the same, and what was refused still differs.
 */
export class Repairs {
  readonly #parts: RepairsParts
  readonly #repaired = new Damper()
  readonly #refused = new Damper()
  /** In the order in which they were written last. */
  readonly #lately = new Map<string, Lately>()

  constructor(parts: RepairsParts) {
    this.#parts = parts
  }

  /** Whether a repair has to wait still, and why. */
  hold(key: string, repair: Repair): Hold | undefined {
    const text = textOf(key, repair)
    const lately = this.#live(text)
    if (lately === undefined) return undefined
    const now = this.#now
    const refusal = isRefused(lately, repair) ? lately.refusal : undefined
    const refusedMs = refusal === undefined ? 0 : this.#refused.delayMs(text, now)
    const by = isOthers(lately, repair) ? 'others' : 'itself'
    const repairMs = by === 'others' ? this.#repaired.delayMs(text, now) : ownDelayMs(lately, now)
    const delayMs = Math.max(refusedMs, repairMs)
    if (delayMs === 0) return undefined
    return { delayMs, refusal: refusedMs > 0 ? refusal : undefined, by: repairMs > 0 ? by : undefined }
  }

  /** A repair is to wait: its key runs again then. That an object flaps is told once. */
  putOff(key: string, repair: Repair, { delayMs, by }: Hold): void {
    const { controller, environment, queue, states } = this.#parts
    states.add(key, due)
    queue.add(key, { afterMs: delayMs, priority: queue.priorityOf(key) })
    const lately = this.#lately.get(textOf(key, repair))
    if (by === undefined || lately === undefined || lately.isTold) return
    lately.isTold = true
    environment.metrics.count('wherry_apply_flapping_total', { controller })
    const error = new FlappingError(repair.view, repair.object, delayMs, by)
    environment.onError(error, { phase: `apply ${controller}`, resource: repair.view, key })
  }

  /** A repair was tried. What came of neither, such as a conflict, may come of the next one. */
  tried(key: string, repair: Repair, { written, refusal, digestOf }: Tried): void {
    if (written === undefined && refusal === undefined) return
    const text = textOf(key, repair)
    const known = this.#live(text)
    const now = this.#now
    const lately = this.#note(text, known, now)
    if (written !== undefined) {
      if (known === undefined || isOthers(known, repair)) this.#repaired.repaired(text, now)
      else known.own += 1
      if (known !== undefined) leave(known, repair.compared, written, digestOf)
    }
    lately.refusal = refusal && { ...refusal, wanted: repair.wanted, standing: repair.standing }
    if (refusal === undefined) this.#refused.forget(text)
    else this.#refused.repaired(text, now)
  }

  /** A key is to run again at once. */
  again(key: string): void {
    const { queue, states } = this.#parts
    states.add(key, due)
    queue.add(key, { priority: queue.priorityOf(key) })
  }

  #live(text: string): Lately | undefined {
    const lately = this.#lately.get(text)
    return lately === undefined || this.#now - lately.at >= forgetMs ? undefined : lately
  }

  #note(text: string, known: Lately | undefined, now: number): Lately {
    const lately = known ?? { at: now, left: [], own: 0, isTold: false, refusal: undefined }
    lately.own = ownAt(lately, now)
    lately.at = now
    this.#lately.delete(text)
    this.#lately.set(text, lately)
    for (const [oldest, { at }] of this.#lately) {
      if (now - at < forgetMs) break
      this.#lately.delete(oldest)
    }
    return lately
  }

  get #now(): number {
    return this.#parts.environment.clock.monotonic()
  }
}

function textOf(key: string, { view, object }: Repair): string {
  return `${key} ${view} ${object}`
}

/** Whether it would be refused as it was. */
function isRefused({ refusal }: Lately, { wanted, standing, differing }: Repair): boolean {
  if (refusal === undefined || refusal.wanted !== wanted || refusal.standing !== standing) return false
  return refusal.parts.every(part => differing.includes(part))
}

/** Whether somebody else has changed it since it was written; as far as is known, what was compared for the first time was not. */
function isOthers({ left }: Lately, { compared, held }: Repair): boolean {
  if (left.length === 0) return true
  const known = left.find(one => one.compared === compared)
  return known !== undefined && known.digest !== held
}

/** Notes what a write left. The way in which it was compared longest ago goes first: one that changes with each write is of no use. */
function leave({ left }: Lately, compared: string, object: KubernetesObject, digestOf: Left['digestOf']): void {
  if (!left.some(one => one.compared === compared)) {
    left.push({ compared, digest: '', digestOf })
    if (left.length > 8) left.shift()
  }
  for (const one of left) one.digest = one.digestOf(object)
}

function ownAt({ own, at }: Lately, now: number): number {
  return Math.max(0, own - (now - at) / ownMs)
}

function ownDelayMs(lately: Lately, now: number): number {
  return Math.max(0, Math.ceil((ownAt(lately, now) + 1 - ownBurst) * ownMs))
}

const due = plainCause('reconcile', 'due')
