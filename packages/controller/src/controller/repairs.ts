import type { Environment, KubernetesObject } from '@wherry/client'
import { Damper } from '@wherry/hash-compare/compare'
import type { WorkQueue } from '@wherry/work-queue'
import { plainCause } from './cause.ts'
import { FlappingError } from './errors.ts'
import type { KeyStates } from './key-states.ts'
import { originOf } from './roots-of.ts'

/** One way to look at an object that is applied. */
export interface Compared {
  /** For which object it is: its uid. */
  readonly owner: string
  /** `plural.group` of the object, through whichever view it is applied. */
  readonly resource: string
  /** The view's key. */
  readonly view: string
  /** `namespace/name` of the object. */
  readonly object: string
  /** Says through which view, which parts of it are compared, and how. */
  readonly compared: string
}

/** An object as it is, beside what is desired. */
export interface Repair extends Compared {
  /** Stands for what would be sent. */
  readonly request: () => string
  /** What others have of the object is left to them. */
  readonly isShared: boolean
  /** What of it is not as desired. */
  readonly differing: readonly string[]
  /** Which object it is, and who controls it; empty where there is none. */
  readonly standing: string
  /** A digest of what is compared of it; `undefined`: there is none. */
  readonly held: string | undefined
}

/** A repair waits. */
export interface Hold {
  readonly delayMs: number
  /** Why it was refused, if that is what it waits for. */
  readonly refusal: { readonly error: unknown } | undefined
  /** It may go well then: nobody has said that it would not. */
  readonly isPassing: boolean
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
  /** How many requests came in a row that nobody else gave reason for, or that changed nothing; one goes each second. */
  own: number
  /** When a repair of it was put off last, by whose doing that was. */
  readonly heldAt: { [by in FlappingError['by']]?: number }
}

/**
 * How a request failed.
 *
 * - `lasting`: the same one would be refused again.
 * - `refused`: as long as nothing changes, which may be elsewhere.
 * - `passing`: it came too late, or its answer did not come, and it may have been done.
 * - `given up`: who sent it did not wait for the answer. Why is no reason for another.
 */
export type HowRefused = 'lasting' | 'refused' | 'passing' | 'given up'

interface Refusal {
  readonly error: unknown
  readonly how: HowRefused
  readonly standing: string
}

/** What was refused of one object, as it is compared in one way. */
interface Refusals {
  /** When that was last, on the monotonic clock. */
  readonly at: number
  readonly last: Refusal
  /** By request, in the order in which they were refused last. */
  readonly requests: Map<string, Refusal>
}

/** So long nothing happened to an object, and nothing more is known of it: as long as a {@link Damper} remembers. */
const forgetMs = 600_000
/** So many requests at once may follow from what the controller itself wants, or change nothing; then one a second. */
const ownBurst = 30
const ownMs = 1000
/** In so many ways is one object compared at most: one that changes with each write is of no use. */
const mostWays = 8
/** So many requests are remembered that were refused for one object. */
const mostRequests = 8
/** So many requests in a row may be refused at once that are not known to be the same again. */
const vainBurst = 30
/** The longest that one waits then, in milliseconds: it may go well. */
const vainMs = 5000
/** When a key runs again that found an object changed while it was being refused, in milliseconds. */
const againMs = 1000

/**
 * Puts off the requests for what is written again and again (rule H6), or refused as often (rule X8).
 *
 * - What somebody else has changed since it was as desired is repaired three times at once, then ever later.
 * - What nobody else has changed is wanted differently now. That is no flapping, unless the controller does so without end: then
 *   one request goes each second. So it is with what is made anew each time, and with requests that change nothing.
 * - What was refused is refused again: after three times the same request is not sent before its time, while it is the same object
 *   with the same controller. Where thirty requests in a row were refused, whatever they were, the next one waits for 1 s … 5 s:
 *   those that are never the same, creates, what came too late, what had no answer and may have been done.
 */
export class Repairs {
  readonly #parts: RepairsParts
  readonly #repaired = new Damper()
  readonly #refused = new Damper()
  readonly #vain = new Damper({ repairs: vainBurst, maxMs: vainMs })
  /** When an object was made that was not there, until more is known of it. In that order. */
  readonly #made = new Map<string, number>()
  /** In the order in which they were written last. */
  readonly #lately = new Map<string, Lately>()
  /** By object and the way to compare it, in the order in which they were refused last. */
  readonly #refusals = new Map<string, Refusals>()
  /** What was said of a refusal, and said again. */
  readonly #said = new WeakMap<object, 'once' | 'again'>()

  constructor(parts: RepairsParts) {
    this.#parts = parts
  }

  /** Whether a repair has to wait still, and why. */
  hold(key: string, repair: Repair): Hold | undefined {
    this.#prune()
    const text = textOf(key, repair)
    const now = this.#now
    const { refusal, ms: refusedMs } = this.#refusalOf(text, repair, now)
    const how = refusal?.how ?? 'passing'
    const othersMs = this.#isOthers(text, repair) ? this.#repaired.delayMs(text, now) : 0
    const ownMs = ownDelayMs(this.#lately.get(text), now)
    const repairMs = Math.max(othersMs, ownMs)
    const delayMs = Math.max(refusedMs, repairMs)
    if (delayMs === 0) return undefined
    const by = othersMs < ownMs ? 'itself' : 'others'
    return {
      delayMs,
      refusal: how === 'given up' ? undefined : refusal,
      isPassing: how === 'passing' || how === 'given up',
      by: repairMs > 0 ? by : undefined,
    }
  }

  /** A repair is to wait: its key runs again then. That an object flaps is told once. */
  putOff(key: string, repair: Repair, { delayMs, refusal, isPassing, by }: Hold): void {
    const { controller, environment, states } = this.#parts
    this.#add(key, delayMs)
    if (refusal !== undefined) this.#says(refusal.error, 'again')
    if (isPassing) states.obtain(key).waits(nameOf(repair))
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

  /** Whether that is what a request was refused with, and was said again of a repair that waits. */
  said(error: unknown): 'once' | 'again' | undefined {
    return isObject(error) ? this.#said.get(error) : undefined
  }

  #says(error: unknown, said: 'once' | 'again'): void {
    for (const root of originOf(error).roots) if (isObject(root)) this.#said.set(root, said)
  }

  /** An object that was not there, or not as desired, was written. */
  wrote(key: string, repair: Repair): void {
    const text = textOf(key, repair)
    const now = this.#now
    const isKnown = this.#made.has(text) || this.#lately.has(text)
    if (repair.held === undefined && !isKnown) this.#made.set(text, now)
    else if (this.#isOthers(text, repair)) {
      this.#repaired.repaired(text, now)
      this.#note(text, 0)
    } else this.#note(text, 1)
    // It was not in vain.
    this.#vain.forget(wayOf(text, repair))
    this.#prune()
  }

  /** A request has changed nothing. */
  tried(key: string, repair: Repair): void {
    this.#note(textOf(key, repair), 1)
    this.#prune()
  }

  /** A request was refused, or had no answer. */
  refused(key: string, repair: Repair, error: unknown, how: HowRefused): void {
    const way = wayOf(textOf(key, repair), repair)
    const now = this.#now
    const last = { error, how, standing: repair.standing }
    const requests = this.#refusals.get(way)?.requests ?? new Map<string, Refusal>()
    this.#vain.repaired(way, now)
    if (how === 'lasting') {
      const request = requestOf(repair)
      this.#refused.repaired(`${way} ${request}`, now)
      requests.delete(request)
      requests.set(request, last)
    }
    const [oldest] = requests.keys()
    if (requests.size > mostRequests && oldest !== undefined) {
      requests.delete(oldest)
      this.#refused.forget(`${way} ${oldest}`)
    }
    this.#refusals.delete(way)
    this.#refusals.set(way, { at: now, last, requests })
    if (how !== 'given up') this.#says(error, 'once')
    this.#prune()
  }

  /** What was refused of an object need not be any more. */
  allowed(key: string, of: Compared): void {
    if (this.#refusals.size === 0) return
    const way = wayOf(textOf(key, of), of)
    for (const request of this.#refusals.get(way)?.requests.keys() ?? []) this.#refused.forget(`${way} ${request}`)
    this.#refusals.delete(way)
    this.#vain.forget(way)
  }

  /** An object was found as desired, or as much so as it can be: who changes that from now on is somebody else. */
  found(key: string, of: Compared, object: KubernetesObject, digestOf: DigestOf): void {
    this.#settled(key, of, object, digestOf, left => left)
  }

  /**
   * An object was left as desired, or as much so as it can be.
   * @param before what it was; `undefined`: there was none
   */
  left(
    key: string,
    of: Compared,
    object: KubernetesObject,
    digestOf: DigestOf,
    before: KubernetesObject | undefined,
  ): void {
    this.#settled(key, of, object, digestOf, left => {
      if (left.digestOf === undefined) return undefined
      // What somebody else has made of it, as it is compared there, stays theirs.
      if (before !== undefined && digestIn(left.digestOf, before) !== left.digest) return left
      const digest = digestIn(left.digestOf, object)
      return digest === undefined ? undefined : { ...left, digest }
    })
  }

  #settled(
    key: string,
    of: Compared,
    object: KubernetesObject,
    digestOf: DigestOf,
    other: (left: Left) => Left | undefined,
  ): void {
    const lately = this.#lately.size === 0 ? undefined : this.#lately.get(textOf(key, of))
    if (lately === undefined) return
    const { compared } = of
    lately.isMixed ||= lately.left.some(one => one.compared !== compared)
    const left: Left[] = []
    for (const one of lately.left) {
      const kept = one.compared === compared ? undefined : other(one)
      if (kept !== undefined) left.push(kept)
    }
    const digest = digestIn(digestOf, object)
    if (digest !== undefined) left.push({ compared, digest, digestOf: lately.isMixed ? digestOf : undefined })
    lately.left = left.slice(-mostWays)
  }

  /** A key runs again soon: something has changed that nothing will tell of any more. */
  again(key: string, of: Compared): void {
    this.#add(key, againMs)
    this.#parts.states.obtain(key).waits(nameOf(of))
  }

  #add(key: string, afterMs: number): void {
    const { queue, states } = this.#parts
    states.add(key, due)
    queue.add(key, { afterMs, priority: queue.priorityOf(key) })
  }

  /** Why a request would be refused, and how long it waits for that. */
  #refusalOf(
    text: string,
    repair: Repair,
    now: number,
  ): { readonly refusal: Refusal | undefined; readonly ms: number } {
    const none = { refusal: undefined, ms: 0 }
    if (this.#refusals.size === 0) return none
    const way = wayOf(text, repair)
    const refusals = this.#refusals.get(way)
    if (refusals === undefined) return none
    const request = refusals.requests.size === 0 ? '' : requestOf(repair)
    const same = refusals.requests.get(request)
    const sameMs = same?.standing === repair.standing ? this.#refused.delayMs(`${way} ${request}`, now) : 0
    const anyMs = this.#vain.delayMs(way, now)
    if (sameMs === 0 && anyMs === 0) return none
    return sameMs < anyMs ? { refusal: refusals.last, ms: anyMs } : { refusal: same, ms: sameMs }
  }

  /** Something was asked for it. @param own how often that had no other reason than the controller */
  #note(text: string, own: number): void {
    const now = this.#now
    const lately = this.#lately.get(text) ?? { at: now, left: [], isMixed: false, own: 0, heldAt: {} }
    lately.own = ownAt(lately, now) + own
    lately.at = now
    this.#made.delete(text)
    this.#lately.delete(text)
    this.#lately.set(text, lately)
  }

  /**
   * Whether somebody else has changed it since it was as desired. So has one of which nothing is known; not one that is compared
   * in a new way. Of one that is shared it can't be told what of it was changed, of one that is gone not by whom.
   */
  #isOthers(text: string, { compared, held, isShared }: Repair): boolean {
    if (held === undefined || isShared) return false
    const { left = [] } = this.#lately.get(text) ?? {}
    if (left.length === 0) return true
    const last = left.find(one => one.compared === compared)
    return last !== undefined && last.digest !== held
  }

  #prune(): void {
    const now = this.#now
    for (const [text, at] of this.#made) {
      if (now - at < forgetMs) break
      this.#made.delete(text)
    }
    for (const map of [this.#lately, this.#refusals]) {
      for (const [text, { at }] of map) {
        if (now - at < forgetMs) break
        map.delete(text)
      }
    }
  }

  get #now(): number {
    return this.#parts.environment.clock.monotonic()
  }
}

function textOf(key: string, { owner, resource, object }: Compared): string {
  return `${key} ${owner} ${resource} ${object}`
}

function nameOf({ view, object }: Compared): string {
  return `${object} of ${view}`
}

function wayOf(text: string, { compared }: Compared): string {
  return `${text} ${compared}`
}

function requestOf({ request, differing }: Repair): string {
  return `${request()} ${differing}`
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

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function ownAt({ own, at }: Lately, now: number): number {
  return Math.max(0, own - (now - at) / ownMs)
}

function ownDelayMs(lately: Lately | undefined, now: number): number {
  return lately === undefined ? 0 : Math.max(0, Math.ceil((ownAt(lately, now) + 1 - ownBurst) * ownMs))
}

const due = plainCause('reconcile', 'due')
