import { isAlreadyExists, type KubernetesObject, type ObjectKey } from '@wherry/client'
import type { HashedObject } from '../ingest/hashed-object.ts'
import { type CopyContext, keyOf, nowIn, readCopy } from './context.ts'
import { CopyApplication } from './copy-application.ts'
import type { WriteReason } from './copy-event.ts'
import type { Decider, Decision, WriteDecision } from './decision.ts'
import { CopyNameTakenError } from './errors.ts'
import { flappingOf } from './flapping.ts'
import type { Foresight } from './foresight.ts'
import { type CopyKey, copiedFromAnnotation, isMarked } from './marks.ts'
import { hashesOf } from './observed.ts'
import type { Source, WantedCopy } from './source.ts'

/** What became of an attempt: it is done, or to be made again, after a failure's wait or after so long. */
export type Attempt = 'done' | 'again' | { readonly afterMs: number }

/** How long to wait for the cache to show a write of our own; its event comes sooner. */
export const unseenMs = 1000

/** Carries decisions out. Every failure is thrown; nothing is retried here. */
export class CopyWriter<P, T extends KubernetesObject> {
  readonly #of: CopyContext<P, T>
  readonly #foresight: Foresight<P, T>

  constructor(of: CopyContext<P, T>, foresight: Foresight<P, T>) {
    this.#of = of
    this.#foresight = foresight
  }

  async attempt(decider: Decider<P, T>, id: string, { namespace, name }: CopyKey): Promise<Attempt> {
    const at = { namespace, name }
    const key = `${namespace}/${name}`
    if (this.#of.ownWrites.isUnseen(key, this.#of.synced(), nowIn(this.#of))) return { afterMs: unseenMs }
    const decision = await this.#foresight.decide(decider, id, at)
    switch (decision.what) {
      case 'nothing':
        return this.#rest(decision.because)
      case 'read':
        // It has gone since; that will be heard.
        return 'again'
      case 'create':
        return this.#create(decision.source, decision.copy)
      case 'claim':
        return this.#claim(decision.source, decision.copy)
      case 'delete':
        return this.#delete(key, at, decision)
      case 'write':
        return this.#write(decision)
      case 'annotate':
        return this.#annotate(decision)
    }
  }

  #rest(because: 'equal' | 'unwanted' | 'unplaced'): Attempt {
    if (because === 'equal') this.#of.meter.skipped()
    return because === 'unplaced' ? { afterMs: unseenMs } : 'done'
  }

  async #create(source: Source<P, T>, copy: WantedCopy<T>): Promise<Attempt> {
    // An apply would merge the copy into whatever is there.
    const isThere = this.#of.options.write === 'apply' && (await readCopy(this.#of, copy.at)) !== undefined
    if (isThere) return this.#claim(source, copy)
    try {
      await new CopyApplication(this.#of, source, copy, 'missing').run(undefined)
      return 'done'
    } catch (error) {
      if (isAlreadyExists(error)) return this.#claim(source, copy)
      throw error
    }
  }

  /** Something of the copy's name is there that the cache does not show as one of the source. */
  async #claim(source: Source<P, T>, copy: WantedCopy<T>): Promise<Attempt> {
    const observed = await readCopy(this.#of, copy.at)
    if (observed === undefined) return 'again'
    if (!isMarked(observed, source.mark)) {
      throw new CopyNameTakenError(keyOf(copy), source.mark.key, observed.metadata?.annotations?.[copiedFromAnnotation])
    }
    return this.#apply(source, copy, observed, this.#foundOrDrift)
  }

  async #delete(
    key: string,
    at: CopyKey,
    preconditions: { readonly uid: string | undefined; readonly resourceVersion: string | undefined },
  ): Promise<Attempt> {
    const { signal, options } = this.#of
    const { uid, resourceVersion } = preconditions
    const deleted = await options.client.delete(options.copies, at as ObjectKey<'namespaced'>, {
      preconditions: { uid, resourceVersion },
      signal,
      timeoutMs: options.timeoutMs,
    })
    if (deleted === undefined) return 'done'
    this.#of.meter.wrote('delete', 'unwanted')
    this.#of.teller.emit({ type: 'deleted', key })
    return 'done'
  }

  async #write(decision: WriteDecision<P, T>): Promise<Attempt> {
    const { source, copy, observed } = decision
    const reason = this.#reason(decision)
    const delayMs = await this.#damped(source, copy, reason)
    return delayMs > 0 ? { afterMs: delayMs } : this.#apply(source, copy, observed, reason)
  }

  async #annotate({
    source,
    copy,
    observed,
  }: Extract<Decision<P, T>, { readonly what: 'annotate' }>): Promise<Attempt> {
    const reason = this.#foundOrDrift
    const delayMs = await this.#damped(source, copy, reason)
    if (delayMs > 0) return { afterMs: delayMs }
    await new CopyApplication(this.#of, source, copy, reason).annotate(observed)
    this.#repaired(copy, reason)
    return 'done'
  }

  async #apply(
    source: Source<P, T>,
    copy: WantedCopy<T>,
    observed: T | HashedObject,
    reason: WriteReason,
  ): Promise<Attempt> {
    const writes = await new CopyApplication(this.#of, source, copy, reason).run(observed)
    if (writes.length > 0) this.#repaired(copy, reason)
    return 'done'
  }

  #repaired(copy: WantedCopy<T>, reason: WriteReason): void {
    if (reason !== 'drift') return
    this.#of.meter.repaired()
    this.#of.damper.repaired(keyOf(copy), nowIn(this.#of))
  }

  #reason({ source, differing, observed }: WriteDecision<P, T>): WriteReason {
    const held = hashesOf<T>(observed, this.#of.options.parts)
    if (differing.every(part => source.fixpoints.wasWanted(part, held[part]))) return 'changed'
    return this.#foundOrDrift
  }

  get #foundOrDrift(): 'found' | 'drift' {
    return this.#of.isWarm() ? 'drift' : 'found'
  }

  /** How long a repair has to wait, because somebody else keeps changing the copy; that is told once. */
  async #damped(source: Source<P, T>, copy: WantedCopy<T>, reason: WriteReason): Promise<number> {
    if (reason !== 'drift') return 0
    const { damper, meter, teller } = this.#of
    const key = keyOf(copy)
    const delayMs = damper.delayMs(key, nowIn(this.#of))
    if (delayMs > 0 && !damper.wasTold(key)) {
      const { differences, managers } = await flappingOf(this.#of, source, copy)
      damper.told(key)
      meter.flapping()
      teller.emit({ type: 'flapping', key, source: source.mark.key, differences, managers, delayMs })
    }
    return delayMs
  }
}
