import { type Client, isConflict, isInvalid, isNotFound } from '@wherry/client'
import { NotYetError } from '@wherry/controller/internal'
import { graceMs } from '../certificates/former.ts'
import type { ManagedCertificates } from '../certificates/managed.ts'
import { certificatesOf, isSignedBy, type Trusted } from '../certificates/pem.ts'
import { isOlder, type NarrowReader } from '../narrow.ts'
import type { OwnService } from '../own-service.ts'
import { Rounds } from '../rounds.ts'
import { bundleOf, inBundle } from './bundle.ts'
import { Fight } from './fight.ts'
import type { Bundled, BundledPart, BundleHolder } from './holder.ts'
import { isTaken, type OwnFields, ownFields } from './own-fields.ts'

/** How long it takes until it is looked again whether the Service exists, in milliseconds. */
const serviceMs = 5_000

/** So many refusals in a row of what the operator applies to another's object are no coincidence. */
const manyRefusals = 3
/** How long it takes until a write is tried again after such a refusal, in milliseconds. */
const againMs = 100

/** Options of {@link KeptBundles}. */
export interface KeptParts {
  readonly client: Client
  readonly narrow: NarrowReader
  readonly certificates: ManagedCertificates
  readonly holder: BundleHolder
  /** Whether the operator applies its parts of the object. If not, they are a manifest's, and the operator writes the bundles only. */
  readonly isApplied: boolean
  /** For how long an API server may not have noticed a bundle, in milliseconds. */
  readonly settleMs: number
  /** The Service that what is applied names; `undefined` if it names an address. */
  readonly service?: OwnService | undefined
}

/** One object on the server that names webhooks. Its bundles have the authorities of now, also after somebody resets them. */
export class KeptBundles {
  readonly #parts: KeptParts
  readonly #rounds: Rounds
  readonly #fight: Fight
  readonly #managers: { readonly rest: string; readonly bundle: string }
  readonly #end = new AbortController()
  #live: Bundled | undefined
  #bundles: readonly ReadonlyMap<string, Trusted>[] = []
  /** Since when each authority is in all bundles, on the monotonic clock. */
  #trustedSince = new Map<string, number>()
  /** Since when a bundle has a certificate that is none of the authorities. */
  #extraSince = new Map<string, number>()
  /** The authorities that all bundles had, as one text; `undefined` if they lack one. */
  #whole: string | undefined
  #changedAt: number | undefined
  #mayWriteAt = 0
  #refusals = 0
  #isApplied: boolean
  /** What the operator has applied, as the server had it then. */
  #applied: OwnFields | undefined
  /** What is not as it is declared, as it was said last. */
  #said = ''
  /** Why nothing is applied. */
  #obstacle: Error | undefined
  #closeWatch: (() => Promise<void>) | undefined
  #forget: (() => void) | undefined

  constructor(parts: KeptParts, operator: string) {
    this.#parts = parts
    const { environment } = parts.client
    this.#managers = { rest: `${operator}/webhooks`, bundle: `${operator}/webhook-bundle` }
    this.#fight = new Fight(environment, this.name, new Set(Object.values(this.#managers)))
    this.#isApplied = !parts.isApplied
    this.#rounds = new Rounds({ environment, phase: 'webhook-bundles', round: () => this.#round() })
  }

  /** Its kind and its name. */
  get name(): string {
    const { kind, objectName } = this.#parts.holder
    return `${kind} ${objectName}`
  }

  /** How long ago the bundles were changed, as far as this replica saw, in milliseconds; `undefined` if there are none. */
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

  /** @throws NotYetError while the API server does not trust the serving certificate, or does not have the object */
  checkReady(): void {
    const { holder, isApplied } = this.#parts
    if (!holder.isOwn && this.#live === undefined)
      throw new NotYetError(`${this.name} is not there: apply its manifest`)
    if (!this.#isApplied) throw new NotYetError(this.#obstacle?.message ?? `${this.name} is not applied yet`)
    const missing = this.#missing
    if (!isApplied && this.#bundles.length === 0) throw new NotYetError(`${this.name} ${holder.lacks}`)
    if (missing.length > 0) throw new NotYetError(`${this.name} has no ${missing.join(', ')}: apply its manifest`)
    const { cert } = this.#parts.certificates.current()
    if (this.#bundles.every(bundle => isSignedBy(cert, [...bundle.values()]))) return
    throw new NotYetError(`the serving certificate is of no authority in caBundle of ${this.name}`)
  }

  /** Takes a state, of the watch or the answer to a write. Either may come after a newer one of the other. */
  #see(live: Bundled | undefined): void {
    if (isOlder(live, this.#live)) return this.#rounds.ask()
    const { certificates, client, holder, settleMs, isApplied } = this.#parts
    const now = client.environment.clock.monotonic()
    const wasThere = this.#live !== undefined
    this.#live = live
    this.#seeOwner(wasThere, now)
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
    if (putsBack && this.#bundles.length === 0) this.#isApplied = false
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

  /** Says that the object, or a part of it, was removed or changed by somebody else; applies it again if it is the operator's. */
  #seeOwner(wasThere: boolean, now: number): void {
    const { client, holder, isApplied } = this.#parts
    const live = this.#live
    const isLost = wasThere && live === undefined
    if (isApplied && holder.isOwn) {
      const own = live && ownFields(live, this.#managers.rest)
      const isChanged = live !== undefined && this.#applied !== undefined && isTaken(this.#applied, own)
      if (!isChanged && own !== undefined && this.#isApplied) this.#applied = own
      if (!this.#isApplied || !(isLost || isChanged)) return
      this.#isApplied = false
      this.#applied = undefined
      const what = isLost ? 'was deleted, and is made again' : 'was changed, and is applied again'
      this.#mayWriteAt = now + this.#fight.noteReset(live ?? {}, `a configuration of the webhooks ${what}`)
      return
    }
    const differs = live === undefined || isApplied ? [] : (holder.differs?.(live) ?? [])
    const lacks = isApplied || live === undefined ? [] : this.#missing.map(name => `it has no ${name}`)
    const problems = isLost ? ['it was deleted'] : [...lacks, ...differs]
    const said = problems.join('; ')
    const isNews = said !== this.#said && (isLost || wasThere || differs.length > 0)
    this.#said = said
    if (isNews && said !== '')
      client.environment.onWarning(`${this.name} is not as the program declares it: ${said}: apply its manifest`, {
        configuration: this.name,
      })
  }

  get #required(): readonly Trusted[] {
    return (this.#parts.certificates.authorities ?? []).flatMap(certificatesOf)
  }

  async #round(): Promise<void> {
    const { certificates, client, holder } = this.#parts
    // Its time may have come to be trusted.
    certificates.recheck()
    const now = client.environment.clock.monotonic()
    if (!this.#isApplied) {
      if (!holder.isOwn && this.#live === undefined) return
      if (now < this.#mayWriteAt) return this.#rounds.askIn(this.#mayWriteAt - now)
      this.#obstacle = await this.#parts.service?.missing(this.#end.signal)
      if (this.#obstacle !== undefined) return this.#rounds.askIn(serviceMs)
      return this.#written(() => this.#applyAll())
    }
    if (this.#bundles.length === 0 || certificates.authorities === undefined) return
    const required = this.#required
    const isWhole = this.#bundles.every(bundle => required.every(({ fingerprint }) => bundle.has(fingerprint)))
    const oldest = Math.min(...this.#extraSince.values())
    if (isWhole && now - oldest < graceMs) return this.#rounds.askIn(oldest + graceMs - now)
    if (isWhole && oldest === Number.POSITIVE_INFINITY) return
    if (now < this.#mayWriteAt) return this.#rounds.askIn(this.#mayWriteAt - now)
    const names = this.#mine.map(({ name }) => name)
    await this.#written(() => this.#applyBundles(names, { resourceVersion: this.#live?.metadata.resourceVersion }))
  }

  /** Writes, and takes the state that the write was answered with. */
  async #written(write: () => Promise<Bundled>): Promise<void> {
    try {
      this.#see(await write())
      this.#refusals = 0
    } catch (error) {
      if (isNotFound(error)) return this.#see(undefined)
      // The change that was in between arrives by the watch, and asks for a round.
      if (isConflict(error)) return
      // So does one that took the conversion away between two requests: then the bundle alone is no valid conversion.
      if (this.#parts.holder.isOwn || !isInvalid(error) || ++this.#refusals >= manyRefusals) throw error
      this.#rounds.askIn(againMs)
    }
  }

  get #mine(): readonly BundledPart[] {
    return this.#live === undefined ? [] : this.#parts.holder.mine(this.#live)
  }

  /**
   * Applies the operator's parts. If one of them has no bundle yet, the first request has the bundles too, so that the API server never has a webhook
   * without one; the last one leaves them to the manager of bundles. So a start that changes nothing is one request that changes nothing.
   */
  async #applyAll(): Promise<Bundled> {
    const { holder } = this.#parts
    const { names } = holder
    const here = this.#mine.map(({ name }) => name)
    // While another manager owns a field of a webhook, that webhook can't be removed from the list.
    if (here.some(name => !names.includes(name))) await this.#applyBundles(here.filter(name => names.includes(name)))
    const caBundle = this.#bundle
    if (caBundle !== undefined && !this.#hasBundles) {
      await this.#apply(holder.whole(caBundle), this.#managers.rest)
      await this.#applyBundles(names)
    }
    const live = await this.#apply(holder.whole(undefined), this.#managers.rest)
    this.#isApplied = true
    this.#applied = ownFields(live, this.#managers.rest)
    return live
  }

  /** Whether each of the operator's parts has a bundle that an apply of the rest leaves alone. A start that broke off may have left it to the rest. */
  get #hasBundles(): boolean {
    const live = this.#live
    if (live === undefined || this.#missing.length > 0) return false
    const rest = ownFields(live, this.#managers.rest)?.fields ?? ''
    return !rest.includes('"f:caBundle"') && this.#mine.every(({ caBundle = '' }) => caBundle !== '')
  }

  /** A bundle for now. The manager of bundles owns it and nothing else. */
  async #applyBundles(
    names: readonly string[],
    precondition: { readonly resourceVersion?: string | undefined } = {},
  ): Promise<Bundled> {
    const { client, holder, certificates } = this.#parts
    const caBundle = this.#bundle
    const bundles = caBundle === undefined ? holder.bundles([], '') : holder.bundles(names, caBundle)
    const live = await this.#apply(bundles, this.#managers.bundle, precondition)
    if (certificates.authorities !== undefined)
      client.environment.log('info', 'the bundles of the webhooks were written', { configuration: this.name })
    return live
  }

  async #apply(
    fields: object,
    fieldManager: string,
    { resourceVersion }: { readonly resourceVersion?: string | undefined } = {},
  ): Promise<Bundled> {
    const { client, holder } = this.#parts
    const { isOwn, objectName: name, view } = holder
    const uid = this.#live?.metadata.uid
    const metadata = {
      name,
      ...(resourceVersion !== undefined && { resourceVersion }),
      // An object that was deleted meanwhile is not made again.
      ...(!isOwn && uid !== undefined && { uid }),
    }
    const options = { fieldManager, force: true, signal: this.#end.signal }
    return (await client.apply(view, { ...fields, metadata } as never, options)) as Bundled
  }

  get #bundle(): string | undefined {
    const { authorities, former } = this.#parts.certificates
    return authorities === undefined ? undefined : bundleOf([...authorities, ...former])
  }
}
