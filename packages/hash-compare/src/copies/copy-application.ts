import type { KubernetesObject, ObjectKey, Whole } from '@wherry/client'
import { hashesAnnotation } from '../annotations/key.ts'
import { Application } from '../apply/application.ts'
import type { Write } from '../apply/applied.ts'
import type { HashedObject } from '../ingest/hashed-object.ts'
import type { PartDifference } from '../parts/compare-parts.ts'
import type { Part } from '../parts/part.ts'
import { hashParts } from '../parts/parts.ts'
import { applying, type CopyContext, keyOf, nowIn } from './context.ts'
import type { CopyWrite, WriteReason } from './copy-event.ts'
import { HashesNotKeptError } from './errors.ts'
import type { Source, WantedCopy } from './source.ts'

/**
 * What is written to one copy, and what is learned of the answers: which state is our own, and what the server makes of what is wanted
 * (rule H6).
 */
export class CopyApplication<P, T extends KubernetesObject> {
  readonly #of: CopyContext<P, T>
  readonly #source: Source<P, T>
  readonly #copy: WantedCopy<T>
  readonly #reason: WriteReason

  constructor(of: CopyContext<P, T>, source: Source<P, T>, copy: WantedCopy<T>, reason: WriteReason) {
    this.#of = of
    this.#source = source
    this.#copy = copy
    this.#reason = reason
  }

  /** Makes the copy as wanted, with its hashes where they are to stand on it. `undefined`: it is not there. */
  async run(observed: T | HashedObject | undefined): Promise<readonly Write[]> {
    const { claims } = this.#of
    const { writes, differences, object } = await this.#application(observed).run(observed as never)
    if (writes.length > 0) this.#tell(writes, differences)
    // With claims, what is observed is whole.
    const last = object ?? (observed as T | undefined)
    if (claims !== undefined && last !== undefined && !claims.areOn(last, this.#copy.wanted)) {
      await this.annotate(last)
    }
    return writes
  }

  /** What would come of {@link run} is learned, without a write. */
  async rehearse(observed: T | HashedObject): Promise<void> {
    this.#of.meter.dryRun()
    const found = await this.#application(observed).rehearse(observed as never)
    for (const [part, digest] of found) this.#learned(part, digest)
  }

  /**
   * Writes the hashes alone to a copy that is as wanted otherwise. Twice where the generation is another then.
   * @throws HashesNotKeptError
   */
  async annotate(observed: T): Promise<void> {
    const { claims, meter } = this.#of
    if (claims === undefined) return
    let held = observed
    for (let tries = 0; tries < 2; tries++) {
      const answer = await this.#writeHashes(claims.onceMore(this.#copy, held), held)
      meter.wrote('annotate', this.#reason)
      this.#tell(['annotate'], [])
      this.#seen(answer)
      if (claims.areOn(answer, this.#copy.wanted)) return
      claims.annotated(held, answer)
      held = answer
    }
    throw new HashesNotKeptError(keyOf(this.#copy), this.#source.mark.key)
  }

  #writeHashes(annotated: Whole<T>, held: T): Promise<T> {
    const { client, copies } = this.#of.options
    const { mode, force, signal, timeoutMs, fieldManager, fieldValidation } = applying(this.#of)
    const call = { signal, timeoutMs, fieldManager, fieldValidation }
    const { uid, resourceVersion } = held.metadata ?? {}
    const state = { uid, resourceVersion }
    if (mode === 'apply') {
      const object = { ...annotated, metadata: { ...annotated.metadata, ...state } }
      return client.apply(copies, object as never, { ...call, force })
    }
    const annotations = { [hashesAnnotation]: annotated.metadata?.annotations?.[hashesAnnotation] }
    const patch = { metadata: { ...state, annotations } }
    return client.patch(copies, this.#copy.at as ObjectKey<'namespaced'>, patch as never, call)
  }

  #application(observed: T | HashedObject | undefined): Application<T, 'namespaced', string> {
    const { options, claims } = this.#of
    const { client, copies, parts } = options
    const { wanted } = this.#copy
    return new Application({
      client,
      view: copies,
      desired:
        claims === undefined ? this.#copy.object() : claims.on(this.#copy, observed as T | undefined, this.#accepts),
      parts,
      options: applying(this.#of),
      wanted,
      accepts: this.#accepts,
      onWrite: (what, object) => this.#wrote(what, object),
    })
  }

  /** Whether the server makes this of a wanted part. */
  readonly #accepts = (part: string, digest: string | undefined): boolean => {
    const wanted = this.#copy.wanted[part]
    return wanted !== undefined && this.#source.fixpoints.accepts(part, wanted, digest, keyOf(this.#copy))
  }

  #wrote(what: Write, object: T): void {
    const { parts } = this.#of.options
    this.#of.meter.wrote(what, this.#reason)
    const hashes = hashParts(object, parts)
    parts.names.forEach((part, i) => {
      // The status of an answer to another write is what it was before.
      if (what === 'status' || (parts.list[i] as Part<T>).subresource !== 'status') this.#learned(part, hashes[part])
    })
    this.#seen(object)
  }

  /** The answer to a write: a state that is our own. */
  #seen(object: T): void {
    const { ownWrites, claims, synced } = this.#of
    ownWrites.wrote(keyOf(this.#copy), object.metadata?.resourceVersion, synced(), nowIn(this.#of))
    claims?.learn(object, this.#copy, this.#source.fixpoints)
  }

  #learned(part: string, digest: string | undefined): void {
    const wanted = this.#copy.wanted[part]
    if (wanted !== undefined) this.#source.fixpoints.learn(part, wanted, digest, keyOf(this.#copy))
  }

  #tell(writes: readonly CopyWrite[], differences: readonly PartDifference[]): void {
    const { key } = this.#source.mark
    const reason = this.#reason
    this.#of.teller.emit({ type: 'written', key: keyOf(this.#copy), source: key, reason, writes, differences })
  }
}
