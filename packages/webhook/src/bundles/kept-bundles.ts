import type { Client } from '@wherry/client'
import { NotYetError } from '@wherry/controller/internal'
import { graceMs } from '../certificates/former.ts'
import type { ManagedCertificates } from '../certificates/managed.ts'
import { certificatesOf, isSignedBy, type Trusted } from '../certificates/pem.ts'
import { isOlder, type NarrowReader } from '../narrow.ts'
import type { OwnService } from '../own-service.ts'
import { Rounds } from '../rounds.ts'
import { Attempts } from './attempts.ts'
import { inBundle } from './bundle.ts'
import { type BundleManagers, BundleWriter } from './bundle-writer.ts'
import { Fight } from './fight.ts'
import type { Bundled, BundledPart, BundleHolder } from './holder.ts'
import { Ownership } from './ownership.ts'

/** The time until the next check of whether the Service exists, in milliseconds. */
const serviceMs = 5_000

/** The delay before the repetition of a write that failed because of another writer, in milliseconds. */
const againMs = 100

/** Options of {@link KeptBundles}. */
export interface KeptParts {
  readonly client: Client
  readonly narrow: NarrowReader
  readonly certificates: ManagedCertificates
  readonly holder: BundleHolder
  /** Whether the operator applies its parts of the object. If not, a manifest has the parts, and the operator writes only the bundles. */
  readonly isApplied: boolean
  /** How long an API server may take to notice a bundle, in milliseconds. */
  readonly settleMs: number
  /** The Service that the applied object names; `undefined` if it names an address. */
  readonly service?: OwnService | undefined
}

/** Keeps the current authorities in the bundles (`caBundle`) of an object that names webhooks, also after a reset by another writer. */
export class KeptBundles {
  readonly #parts: KeptParts
  readonly #rounds: Rounds
  readonly #fight: Fight
  readonly #ownership: Ownership
  readonly #attempts: Attempts
  readonly #writer: BundleWriter
  readonly #end = new AbortController()
  #live: Bundled | undefined
  #bundles: readonly ReadonlyMap<string, Trusted>[] = []
  /** For each certificate that all bundles contain: since when all contain it, on the monotonic clock. By fingerprint. */
  #trustedSince = new Map<string, number>()
  /** For each certificate in a bundle that is no current authority: since when it is there. By fingerprint. */
  #extraSince = new Map<string, number>()
  /** The fingerprints of the current authorities, as one text; `undefined` if a bundle lacks an authority, or there is no bundle. */
  #whole: string | undefined
  #changedAt: number | undefined
  #mayWriteAt = 0
  /** How often the object was seen to be absent. */
  #losses = 0
  /** The reason why nothing is applied. */
  #obstacle: Error | undefined
  #closeWatch: (() => Promise<void>) | undefined
  #forget: (() => void) | undefined

  constructor(parts: KeptParts, operator: string) {
    this.#parts = parts
    const { client, certificates, holder, isApplied } = parts
    const { environment } = client
    const managers: BundleManagers = { rest: `${operator}/webhooks`, bundle: `${operator}/webhook-bundle` }
    this.#fight = new Fight(environment, this.name, new Set(Object.values(managers)))
    const warn = (message: string): void =>
      environment.onWarning(`${this.name} ${message}`, { configuration: this.name })
    this.#ownership = new Ownership({ holder, isApplied, manager: managers.rest, warn })
    this.#attempts = new Attempts()
    const { signal } = this.#end
    this.#writer = new BundleWriter({ client, certificates, holder, managers, signal, live: () => this.#live })
    this.#rounds = new Rounds({ environment, phase: 'webhook-bundles', round: () => this.#round() })
  }

  /** The kind and the name of the object. */
  get name(): string {
    const { kind, objectName } = this.#parts.holder
    return `${kind} ${objectName}`
  }

  /** The time since this replica saw the last change of the bundles, in milliseconds; `undefined` without bundles. */
  get ageMs(): number | undefined {
    const { clock } = this.#parts.client.environment
    return this.#changedAt === undefined ? undefined : clock.monotonic() - this.#changedAt
  }

  /** Rejects if the object can't be watched. */
  async start(): Promise<void> {
    const { narrow, holder, certificates } = this.#parts
    this.#forget = certificates.onChange(() => this.#rounds.ask())
    const seen = (live: Bundled | undefined): void => this.#see(live)
    const handler = { add: seen, update: seen, delete: () => seen(undefined), absent: () => seen(undefined) }
    const { signal } = this.#end
    const subscription = await narrow.watch(holder.view, { name: holder.objectName }, handler, { signal })
    this.#closeWatch = () => subscription.close()
    if (signal.aborted) await subscription.close()
  }

  async stop(): Promise<void> {
    this.#end.abort(new Error('the webhooks stop'))
    this.#forget?.()
    await this.#rounds.close()
    await this.#closeWatch?.()
  }

  /** Whether API servers trust an authority; `undefined` if the object has none of the operator's webhooks. */
  trusts(fingerprint: string): boolean | undefined {
    if (this.#bundles.length === 0) return undefined
    const since = this.#trustedSince.get(fingerprint)
    const { clock } = this.#parts.client.environment
    return since !== undefined && clock.monotonic() - since >= this.#parts.settleMs
  }

  /** @throws NotYetError while the API server does not trust the serving certificate, or lacks the object or a part of it */
  checkReady(): void {
    const { holder, isApplied } = this.#parts
    if (!holder.isOwn && this.#live === undefined)
      throw new NotYetError(`${this.name} is not there: apply its manifest`)
    if (!this.#ownership.isApplied) throw new NotYetError(this.#obstacle?.message ?? `${this.name} is not applied yet`)
    const missing = this.#missing
    if (!isApplied && this.#bundles.length === 0) throw new NotYetError(`${this.name} ${holder.lacks}`)
    if (missing.length > 0) throw new NotYetError(`${this.name} has no ${missing.join(', ')}: apply its manifest`)
    const { cert } = this.#parts.certificates.current()
    if (this.#bundles.every(bundle => isSignedBy(cert, [...bundle.values()]))) return
    throw new NotYetError(`the serving certificate is of no authority in caBundle of ${this.name}`)
  }

  /** Receives a state, from the watch or from the answer to a write. A state may arrive after a newer state from the other source. */
  #see(live: Bundled | undefined): void {
    if (isOlder(live, this.#live)) return this.#rounds.ask()
    const { certificates, client, holder, settleMs, isApplied } = this.#parts
    const now = client.environment.clock.monotonic()
    const wasThere = this.#live !== undefined
    this.#live = live
    if (live === undefined) this.#losses += 1
    const done = this.#ownership.see(live, wasThere, this.#missing)
    if (done !== undefined)
      this.#mayWriteAt = now + this.#fight.noteReset(live ?? {}, `a configuration of the webhooks ${done}`)
    const before = this.#bundles.map(bundle => [...bundle.keys()].join()).join(';')
    this.#bundles = this.#mine.map(({ caBundle }) => inBundle(caBundle))
    if (this.#bundles.length === 0) this.#changedAt = undefined
    else if (this.#bundles.map(bundle => [...bundle.keys()].join()).join(';') !== before) this.#changedAt = now
    const required = this.#required
    const all = new Set(this.#bundles.flatMap(bundle => [...bundle.keys()]))
    const inEach = [...all].filter(one => this.#bundles.every(bundle => bundle.has(one)))
    this.#trustedSince = new Map(inEach.map(one => [one, this.#trustedSince.get(one) ?? now]))
    const extras = [...all].filter(one => !required.some(({ fingerprint }) => fingerprint === one))
    this.#extraSince = new Map(extras.map(one => [one, this.#extraSince.get(one) ?? now]))
    const wanted = required.map(({ fingerprint }) => fingerprint).join()
    const isWhole = required.every(({ fingerprint }) => inEach.includes(fingerprint))
    const putsBack = isApplied && !holder.isOwn
    const isLess = !isWhole || this.#bundles.length === 0
    if (isLess && live !== undefined && (this.#bundles.length > 0 || putsBack) && this.#whole === wanted)
      this.#mayWriteAt = now + this.#fight.noteReset(live)
    if (putsBack && this.#bundles.length === 0) this.#ownership.noteLost()
    this.#whole = isWhole && this.#bundles.length > 0 ? wanted : undefined
    holder.seen?.(live, { areThere: this.#bundles.length > 0, areWhole: isWhole })
    certificates.recheck()
    if (inEach.some(one => this.#trustedSince.get(one) === now)) this.#rounds.askIn(settleMs)
    this.#rounds.ask()
  }

  /** Names of the operator's parts that the object does not have. */
  get #missing(): readonly string[] {
    const there = this.#mine.map(({ name }) => name)
    return this.#parts.holder.names.filter(name => !there.includes(name))
  }

  get #required(): readonly Trusted[] {
    return (this.#parts.certificates.authorities ?? []).flatMap(certificatesOf)
  }

  async #round(): Promise<void> {
    const { certificates, client, holder } = this.#parts
    // An authority may count as trusted by now.
    certificates.recheck()
    const now = client.environment.clock.monotonic()
    if (!this.#ownership.isApplied) {
      if (!holder.isOwn && this.#live === undefined) return
      if (now < this.#mayWriteAt) return this.#rounds.askIn(this.#mayWriteAt - now)
      this.#obstacle = await this.#parts.service?.missing(this.#end.signal)
      if (this.#obstacle !== undefined) return this.#rounds.askIn(serviceMs)
      return this.#write(
        () => this.#writer.applyAll(),
        live => this.#ownership.noteApplied(live),
      )
    }
    if (this.#bundles.length === 0 || certificates.authorities === undefined) return
    const required = this.#required
    const isWhole = this.#bundles.every(bundle => required.every(({ fingerprint }) => bundle.has(fingerprint)))
    const oldest = Math.min(...this.#extraSince.values())
    if (isWhole && now - oldest < graceMs) return this.#rounds.askIn(oldest + graceMs - now)
    if (isWhole && oldest === Number.POSITIVE_INFINITY) return
    if (now < this.#mayWriteAt) return this.#rounds.askIn(this.#mayWriteAt - now)
    const names = this.#mine.map(({ name }) => name)
    const { resourceVersion } = this.#live?.metadata ?? {}
    await this.#write(() => this.#writer.applyBundles(names, { resourceVersion }))
  }

  /** Writes, and uses the state in the answer. If the watch has delivered a newer state by then, the newer state counts, and `note` is not called. */
  async #write(write: () => Promise<Bundled>, note: (live: Bundled) => void = () => {}): Promise<void> {
    const losses = this.#losses
    const attempt = await this.#attempts.make(write)
    if (attempt === 'gone') return this.#see(undefined)
    // The watch will deliver the change and ask for a round.
    if (attempt === 'changed') return
    if (attempt === 'refused') {
      // A bound for all rounds, because another caller may ask for a round earlier.
      this.#mayWriteAt = this.#parts.client.environment.clock.monotonic() + againMs
      return this.#rounds.ask()
    }
    // Another writer has deleted or changed the object while the answer was on its way.
    if (this.#losses !== losses || isOlder(attempt.live, this.#live)) return this.#rounds.ask()
    note(attempt.live)
    this.#see(attempt.live)
  }

  get #mine(): readonly BundledPart[] {
    return this.#live === undefined ? [] : this.#parts.holder.mine(this.#live)
  }
}
