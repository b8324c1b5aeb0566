import { isAlreadyExists, isBadRequest, type KubernetesObject, type ObjectKey, type Resource } from '@wherry/client'
import { Application } from '../apply/application.ts'
import type { Applied, ApplyIfChangedOptions, Write } from '../apply/applied.ts'
import { isHashedObject } from '../ingest/hashed-object.ts'
import { compareParts } from '../parts/compare-parts.ts'
import type { Part } from '../parts/part.ts'
import { hashParts, type PartHashes, type Parts } from '../parts/parts.ts'
import type { CopyEvent, WriteReason } from './copy-event.ts'
import type { Damper } from './damper.ts'
import type { Decider, Decision, Observed } from './decision.ts'
import { CopyNameTakenError } from './errors.ts'
import { copiedFromAnnotation, isMarked } from './marks.ts'
import type { Meter } from './meter.ts'
import type { CopyReconcilerOptions } from './options.ts'
import type { OwnWrites } from './own-writes.ts'
import { rivals } from './rivals.ts'
import type { Source, WantedCopy } from './source.ts'

/** What became of an attempt: it is done, or to be made again, after a failure's wait or after so long. */
export type Attempt = 'done' | 'again' | { readonly afterMs: number }

export interface CopyWriterParts<P, T extends KubernetesObject> {
  readonly options: CopyReconcilerOptions<P, T>
  readonly signal: AbortSignal
  readonly meter: Meter
  readonly damper: Damper
  readonly ownWrites: OwnWrites
  /** How new the cache of copies is. */
  readonly synced: () => string | undefined
  /** Whether all that was there at first has been looked at. */
  readonly isWarm: () => boolean
  readonly emit: (event: CopyEvent) => void
}

/** How long to wait for the cache to show a write of our own; its event comes sooner. */
export const unseenMs = 1000

type Copy = { readonly namespace: string; readonly name: string }
type WriteDecision<P, T extends KubernetesObject> = Extract<Decision<P, T>, { readonly what: 'write' }>

/** Carries decisions out. Every failure is thrown; nothing is retried here. */
export class CopyWriter<P, T extends KubernetesObject> {
  readonly #of: CopyWriterParts<P, T>
  readonly #resource: Resource<T, 'namespaced'>
  readonly #parts: Parts<T>
  readonly #applying: ApplyIfChangedOptions

  constructor(of: CopyWriterParts<P, T>) {
    this.#of = of
    const { name, copies, parts, write = 'update', force, fieldManager = name, fieldValidation, timeoutMs } = of.options
    this.#resource = copies
    this.#parts = parts
    const { signal } = of
    this.#applying = {
      signal,
      timeoutMs,
      fieldManager,
      fieldValidation,
      mode: write,
      force: write === 'apply' ? (force ?? true) : undefined,
    }
  }

  async attempt(decider: Decider<P, T>, id: string, { namespace, name }: Copy): Promise<Attempt> {
    const key = `${namespace}/${name}`
    const decide = (): Decision<P, T> => decider.decide(id, namespace, name)
    if (this.#of.ownWrites.isUnseen(key, this.#of.synced(), this.#now)) return { afterMs: unseenMs }
    const decision = decide()
    switch (decision.what) {
      case 'nothing':
        return decision.because === 'unplaced' ? { afterMs: unseenMs } : 'done'
      case 'create':
        return this.#create(decision.source, decision.copy)
      case 'claim':
        return this.#claim(decision.source, decision.copy)
      case 'delete':
        return this.#delete(key, { namespace, name }, decision)
      case 'write':
        if (this.mustLearn(decision)) {
          await this.learn(decision)
          return this.#write(decide())
        }
        return this.#write(decision)
    }
  }

  /** Whether what differs may be what the server makes of it, of which nothing is known since the process began (rule H6). */
  mustLearn({ source, copy, differing }: WriteDecision<P, T>): boolean {
    if (!source.isCold || source.cannotRehearse) return false
    return differing.some(part => !source.fixpoints.knows(part, copy.wanted[part] as string))
  }

  /** Finds out by a dry run what the server makes of it: one for a source, whoever asks meanwhile. */
  async learn(decision: WriteDecision<P, T>): Promise<void> {
    const { source, copy, observed } = decision
    while (source.learning !== undefined) {
      await source.learning
      if (!this.mustLearn(decision)) return
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    source.learning = promise
    try {
      this.#of.meter.dryRun()
      const found = await this.#application(source, copy, 'found').rehearse(observed)
      for (const [part, digest] of found) this.#learned(source, copy, part, digest)
    } catch (error) {
      // A webhook with side effects refuses dry runs; what else is wrong, the write itself will tell.
      if (!isBadRequest(error)) throw error
      source.cannotRehearse = true
    } finally {
      source.learning = undefined
      resolve()
    }
  }

  async #create(source: Source<P, T>, copy: WantedCopy<T>): Promise<Attempt> {
    // An apply would merge the copy into whatever is there.
    if (this.#applying.mode === 'apply' && (await this.#read(copy.at)) !== undefined) return this.#claim(source, copy)
    try {
      const applied = await this.#application(source, copy, 'missing').run(undefined)
      this.#written(source, copy, 'missing', applied)
      return 'done'
    } catch (error) {
      if (isAlreadyExists(error)) return this.#claim(source, copy)
      throw error
    }
  }

  /** Something of the copy's name is there that the cache does not show as one of the source. */
  async #claim(source: Source<P, T>, copy: WantedCopy<T>): Promise<Attempt> {
    const observed = await this.#read(copy.at)
    if (observed === undefined) return 'again'
    const key = `${copy.at.namespace}/${copy.at.name}`
    if (!isMarked(observed, source.mark)) {
      throw new CopyNameTakenError(key, source.mark.key, observed.metadata?.annotations?.[copiedFromAnnotation])
    }
    const reason = this.#of.isWarm() ? 'drift' : 'found'
    return this.#apply(source, copy, observed, reason)
  }

  async #delete(
    key: string,
    at: Copy,
    { uid, resourceVersion }: { uid: string | undefined; resourceVersion: string | undefined },
  ): Promise<Attempt> {
    const { signal, options } = this.#of
    const preconditions = { uid, resourceVersion }
    const deleted = await options.client.delete(this.#resource, at as ObjectKey<'namespaced'>, {
      preconditions,
      signal,
      timeoutMs: options.timeoutMs,
    })
    if (deleted === undefined) return 'done'
    this.#of.meter.wrote('delete', 'unwanted')
    this.#of.emit({ type: 'deleted', key })
    return 'done'
  }

  async #write(decision: Decision<P, T>): Promise<Attempt> {
    if (decision.what !== 'write') return decision.what === 'nothing' ? 'done' : 'again'
    const { source, copy, observed } = decision
    const reason = this.#reason(decision)
    if (reason === 'drift') {
      const key = `${copy.at.namespace}/${copy.at.name}`
      const delayMs = this.#of.damper.delayMs(key, this.#now)
      if (delayMs > 0) {
        await this.#tellFlapping(source, copy, delayMs)
        return { afterMs: delayMs }
      }
    }
    return this.#apply(source, copy, observed, reason)
  }

  async #apply(
    source: Source<P, T>,
    copy: WantedCopy<T>,
    observed: Observed<T>,
    reason: WriteReason,
  ): Promise<Attempt> {
    const applied = await this.#application(source, copy, reason).run(observed as never)
    if (applied.writes.length === 0) return 'done'
    this.#written(source, copy, reason, applied)
    if (reason === 'drift') {
      this.#of.meter.repaired()
      this.#of.damper.repaired(`${copy.at.namespace}/${copy.at.name}`, this.#now)
    }
    return 'done'
  }

  #reason({ source, differing, observed }: WriteDecision<P, T>): WriteReason {
    const held: PartHashes = isHashedObject(observed) ? observed.hashes : hashParts(observed, this.#parts)
    if (differing.every(part => source.fixpoints.wasWanted(part, held[part]))) return 'changed'
    return this.#of.isWarm() ? 'drift' : 'found'
  }

  #written(
    source: Source<P, T>,
    { at }: WantedCopy<T>,
    reason: WriteReason,
    { writes, differences }: Applied<T>,
  ): void {
    const key = `${at.namespace}/${at.name}`
    this.#of.emit({ type: 'written', key, source: source.mark.key, reason, writes, differences })
  }

  #application(source: Source<P, T>, copy: WantedCopy<T>, reason: WriteReason): Application<T, 'namespaced', string> {
    const key = `${copy.at.namespace}/${copy.at.name}`
    const accepts = (part: string, digest: string | undefined): boolean => {
      const wanted = copy.wanted[part]
      return wanted !== undefined && source.fixpoints.accepts(part, wanted, digest, key)
    }
    const onWrite = (what: Write, object: T): void => {
      this.#of.meter.wrote(what, reason)
      this.#of.ownWrites.wrote(key, object.metadata?.resourceVersion, this.#of.synced(), this.#now)
      const hashes = hashParts(object, this.#parts)
      this.#parts.names.forEach((part, i) => {
        // The status of an answer to another write is what it was before.
        if (what === 'status' || (this.#parts.list[i] as Part<T>).subresource !== 'status') {
          this.#learned(source, copy, part, hashes[part])
        }
      })
    }
    return new Application({
      client: this.#of.options.client,
      view: this.#resource,
      desired: copy.object(),
      parts: this.#parts,
      options: this.#applying,
      wanted: copy.wanted,
      accepts,
      onWrite,
    })
  }

  #learned({ fixpoints }: Source<P, T>, { at, wanted }: WantedCopy<T>, part: string, digest: string | undefined): void {
    const of = wanted[part]
    if (of !== undefined) fixpoints.learn(part, of, digest, `${at.namespace}/${at.name}`)
  }

  /** Says once what differs and who else writes it. */
  async #tellFlapping(source: Source<P, T>, copy: WantedCopy<T>, delayMs: number): Promise<void> {
    const { damper, meter, emit, options } = this.#of
    const key = `${copy.at.namespace}/${copy.at.name}`
    if (damper.wasTold(key)) return
    const { signal, timeoutMs } = this.#applying
    const whole = await options.client.get(this.#resource.full(), copy.at as ObjectKey<'namespaced'>, {
      signal,
      timeoutMs,
    })
    damper.told(key)
    meter.flapping()
    const parts = this.#parts
    const differences =
      whole === undefined
        ? []
        : compareParts(copy.wanted, hashParts(whole, parts), { parts, objects: [copy.object() as T, whole] })
    const paths = differences.flatMap(({ paths: found }) => found ?? [])
    const managers = whole === undefined ? [] : rivals(whole, this.#applying.fieldManager as string, paths)
    emit({ type: 'flapping', key, source: source.mark.key, differences, managers, delayMs })
  }

  #read(at: Copy): Promise<T | undefined> {
    const { signal, timeoutMs } = this.#applying
    return this.#of.options.client.get(this.#resource, at as ObjectKey<'namespaced'>, { signal, timeoutMs })
  }

  get #now(): number {
    return this.#of.options.client.environment.clock.monotonic()
  }
}
