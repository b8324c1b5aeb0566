import { type Client, isConflict, isNotFound, type View } from '@wherry/client'
import {
  type MutatingWebhookConfiguration,
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from '@wherry/client/resources/admissionregistration'
import { NotYetError } from '@wherry/controller/internal'
import { graceMs } from '../certificates/former.ts'
import type { ManagedCertificates } from '../certificates/managed.ts'
import { certificatesOf, isSignedBy, type Trusted } from '../certificates/pem.ts'
import { isOlder, type NarrowReader } from '../narrow.ts'
import { Rounds } from '../rounds.ts'
import type { WebhookConfiguration } from '../scope/configurations.ts'
import { bundleOf, inBundle } from './bundle.ts'
import { Fight } from './fight.ts'

/** Options of a {@link KeptConfiguration}. */
export interface KeptParts {
  readonly client: Client
  readonly narrow: NarrowReader
  readonly certificates: ManagedCertificates
  /** The configuration without bundles. */
  readonly wanted: WebhookConfiguration
  /** What the names of the operator's webhooks end with. */
  readonly suffix: string
  /** Whether the operator applies the configuration. If not, it is a manifest's, and the operator writes the bundles only. */
  readonly isApplied: boolean
  /** For how long an API server may not have noticed a bundle, in milliseconds. */
  readonly settleMs: number
}

/** Both kinds have these fields. */
type Configuration = MutatingWebhookConfiguration & { metadata: { name: string; resourceVersion?: string } }

/** One configuration of webhooks on the server. Its bundles have the authorities of now, also after somebody resets them. */
export class KeptConfiguration {
  readonly #parts: KeptParts
  readonly #view: View<Configuration, 'cluster'>
  readonly #rounds: Rounds
  readonly #fight: Fight
  readonly #managers: { readonly rest: string; readonly bundle: string }
  readonly #end = new AbortController()
  #live: Configuration | undefined
  #bundles: readonly ReadonlyMap<string, Trusted>[] = []
  /** Since when each authority is in all bundles, on the monotonic clock. */
  #trustedSince = new Map<string, number>()
  /** Since when a bundle has a certificate that is none of the authorities. */
  #extraSince = new Map<string, number>()
  /** The authorities that all bundles had, as one text; `undefined` if they lack one. */
  #whole: string | undefined
  #changedAt: number | undefined
  #mayWriteAt = 0
  #isApplied: boolean
  #closeWatch: (() => Promise<void>) | undefined
  #forget: (() => void) | undefined

  constructor(parts: KeptParts, operator: string) {
    this.#parts = parts
    const { environment } = parts.client
    const views = {
      MutatingWebhookConfiguration: mutatingWebhookConfigurations,
      ValidatingWebhookConfiguration: validatingWebhookConfigurations,
    }
    // With managedFields, which say who resets a bundle.
    this.#view = views[parts.wanted.kind].full() as unknown as View<Configuration, 'cluster'>
    this.#managers = { rest: `${operator}/webhooks`, bundle: `${operator}/webhook-bundle` }
    this.#fight = new Fight(environment, this.name, new Set(Object.values(this.#managers)))
    this.#isApplied = !parts.isApplied
    this.#rounds = new Rounds({ environment, phase: 'webhook-bundles', round: () => this.#round() })
  }

  /** Its kind and its name. */
  get name(): string {
    const { kind, metadata } = this.#parts.wanted
    return `${kind} ${metadata.name}`
  }

  /** How long ago the bundles were changed, as far as this replica saw, in milliseconds; `undefined` if there are none. */
  get ageMs(): number | undefined {
    const { clock } = this.#parts.client.environment
    return this.#changedAt === undefined ? undefined : clock.monotonic() - this.#changedAt
  }

  /** Rejects if the configuration can't be watched. */
  async start(): Promise<void> {
    const { narrow, wanted, certificates } = this.#parts
    this.#forget = certificates.onChange(() => this.#rounds.ask())
    const seen = (live: Configuration | undefined): void => this.#see(live)
    const handler = { add: seen, update: seen, delete: () => seen(undefined), absent: () => seen(undefined) }
    const { signal } = this.#end
    const subscription = await narrow.watch(this.#view, { name: wanted.metadata.name }, handler, { signal })
    this.#closeWatch = () => subscription.close()
    if (signal.aborted) await subscription.close()
  }

  async stop(): Promise<void> {
    this.#end.abort(new Error('the webhooks stop'))
    this.#forget?.()
    await this.#rounds.close()
    await this.#closeWatch?.()
  }

  /** Whether API servers trust an authority; `undefined` if the configuration has none of the operator's webhooks. */
  trusts(fingerprint: string): boolean | undefined {
    if (this.#bundles.length === 0) return undefined
    const since = this.#trustedSince.get(fingerprint)
    const { clock } = this.#parts.client.environment
    return since !== undefined && clock.monotonic() - since >= this.#parts.settleMs
  }

  /** @throws NotYetError while the API server does not trust the serving certificate, or does not have the configuration */
  checkReady(): void {
    if (!this.#isApplied) throw new NotYetError(`${this.name} is not applied yet`)
    if (!this.#parts.isApplied && this.#bundles.length === 0)
      throw new NotYetError(`${this.name} has no webhook of this operator on the server: apply its manifest`)
    const { cert } = this.#parts.certificates.current()
    if (this.#bundles.every(bundle => isSignedBy(cert, [...bundle.values()]))) return
    throw new NotYetError(`the serving certificate is of no authority in caBundle of ${this.name}`)
  }

  /** Takes a state, of the watch or the answer to a write. Either may come after a newer one of the other. */
  #see(live: Configuration | undefined): void {
    if (isOlder(live, this.#live)) return this.#rounds.ask()
    const { certificates, client, suffix, settleMs } = this.#parts
    const now = client.environment.clock.monotonic()
    this.#live = live
    const before = this.#bundles.map(bundle => [...bundle.keys()].join()).join(';')
    this.#bundles = mine(live, suffix).map(({ clientConfig }) => inBundle(clientConfig?.caBundle))
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
    if (!isWhole && live !== undefined && this.#bundles.length > 0 && this.#whole === wanted)
      this.#mayWriteAt = now + this.#fight.noteReset(live)
    this.#whole = isWhole && this.#bundles.length > 0 ? wanted : undefined
    certificates.recheck()
    if (inEach.some(one => this.#trustedSince.get(one) === now)) this.#rounds.askIn(settleMs)
    this.#rounds.ask()
  }

  get #required(): readonly Trusted[] {
    return (this.#parts.certificates.authorities ?? []).flatMap(certificatesOf)
  }

  async #round(): Promise<void> {
    const { certificates, client } = this.#parts
    // Its time may have come to be trusted.
    certificates.recheck()
    if (!this.#isApplied) return this.#applyAll()
    if (this.#bundles.length === 0 || certificates.authorities === undefined) return
    const now = client.environment.clock.monotonic()
    const required = this.#required
    const isWhole = this.#bundles.every(bundle => required.every(({ fingerprint }) => bundle.has(fingerprint)))
    const oldest = Math.min(...this.#extraSince.values())
    if (isWhole && now - oldest < graceMs) return this.#rounds.askIn(oldest + graceMs - now)
    if (isWhole && oldest === Number.POSITIVE_INFINITY) return
    if (now < this.#mayWriteAt) return this.#rounds.askIn(this.#mayWriteAt - now)
    await this.#mend()
  }

  async #mend(): Promise<void> {
    const { suffix } = this.#parts
    const names = mine(this.#live, suffix).map(({ name }) => name)
    try {
      this.#see(await this.#applyBundles(names, this.#live?.metadata.resourceVersion))
    } catch (error) {
      if (isNotFound(error)) this.#see(undefined)
      // The change that was in between arrives by the watch, and asks for a round.
      else if (!isConflict(error)) throw error
    }
  }

  /**
   * Applies the configuration. The first request has the bundles too, so that the API server never has a webhook without one; the last one leaves them
   * to the manager of bundles.
   */
  async #applyAll(): Promise<void> {
    const { client, wanted, suffix } = this.#parts
    const webhooks = wanted.webhooks ?? []
    const names = webhooks.map(({ name }) => name)
    const options = { fieldManager: this.#managers.rest, force: true, signal: this.#end.signal }
    const here = mine(this.#live, suffix).map(({ name }) => name)
    // While another manager owns a field of a webhook, that webhook can't be removed from the list.
    if (here.some(name => !names.includes(name))) await this.#applyBundles(here.filter(name => names.includes(name)))
    const caBundle = this.#bundle
    if (caBundle !== undefined) {
      const bundled = webhooks.map(one => ({ ...one, clientConfig: { ...one.clientConfig, caBundle } }))
      await client.apply(this.#view, { ...wanted, webhooks: bundled } as never, options)
      await this.#applyBundles(names)
    }
    const live = await client.apply(this.#view, wanted as never, options)
    this.#isApplied = true
    this.#see(live as Configuration)
  }

  /** A bundle for now. The manager of bundles owns it and nothing else. */
  async #applyBundles(names: readonly string[], resourceVersion?: string | undefined): Promise<Configuration> {
    const { client, wanted, certificates } = this.#parts
    const caBundle = this.#bundle
    const { name } = wanted.metadata
    const metadata = { name, ...(resourceVersion !== undefined && { resourceVersion }) }
    const webhooks = caBundle === undefined ? [] : names.map(one => ({ name: one, clientConfig: { caBundle } }))
    const options = { fieldManager: this.#managers.bundle, force: true, signal: this.#end.signal }
    const live = await client.apply(this.#view, { metadata, webhooks } as never, options)
    if (certificates.authorities !== undefined)
      client.environment.log('info', 'the bundles of the webhooks were written', { configuration: this.name })
    return live as Configuration
  }

  get #bundle(): string | undefined {
    const { authorities, former } = this.#parts.certificates
    return authorities === undefined ? undefined : bundleOf([...authorities, ...former])
  }
}

function mine(
  configuration: Configuration | undefined,
  suffix: string,
): readonly NonNullable<Configuration['webhooks']>[number][] {
  return (configuration?.webhooks ?? []).filter(({ name }) => name.endsWith(suffix))
}
