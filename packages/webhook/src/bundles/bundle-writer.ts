import type { Client } from '@wherry/client'
import type { ManagedCertificates } from '../certificates/managed.ts'
import { bundleOf } from './bundle.ts'
import type { Bundled, BundledPart, BundleHolder } from './holder.ts'
import { ownFields } from './own-fields.ts'

/** The field managers of an operator. `bundle` owns only the bundles. */
export interface BundleManagers {
  readonly rest: string
  readonly bundle: string
}

/** Options of {@link BundleWriter}. */
export interface BundleWriterParts {
  readonly client: Client
  readonly certificates: ManagedCertificates
  readonly holder: BundleHolder
  readonly managers: BundleManagers
  /** Ends the requests. */
  readonly signal: AbortSignal
  /** Returns the latest known state. */
  readonly live: () => Bundled | undefined
}

/** Applies the operator's parts of an object, and their bundles. */
export class BundleWriter {
  readonly #parts: BundleWriterParts

  constructor(parts: BundleWriterParts) {
    this.#parts = parts
  }

  /**
   * Applies the operator's parts. If a part has no bundle yet, the first request includes the bundles, so that the API server never has a webhook
   * without a bundle; the last request leaves the bundles to their own manager. If nothing has changed, a start needs a single request.
   */
  async applyAll(): Promise<Bundled> {
    const { holder, managers } = this.#parts
    const { names } = holder
    const here = this.#mine.map(({ name }) => name)
    // While another manager owns a field of a webhook, that webhook can't be removed from the list.
    if (here.some(name => !names.includes(name))) await this.applyBundles(here.filter(name => names.includes(name)))
    const caBundle = this.#bundle
    if (caBundle !== undefined && !this.#hasBundles) {
      await this.#apply(holder.whole(caBundle), managers.rest)
      await this.applyBundles(names)
    }
    return this.#apply(holder.whole(undefined), managers.rest)
  }

  /** Applies the current bundle. The manager of bundles owns no other field. */
  async applyBundles(
    names: readonly string[],
    precondition: { readonly resourceVersion?: string | undefined } = {},
  ): Promise<Bundled> {
    const { client, holder, certificates, managers } = this.#parts
    const caBundle = this.#bundle
    const bundles = caBundle === undefined ? holder.bundles([], '') : holder.bundles(names, caBundle)
    const live = await this.#apply(bundles, managers.bundle, precondition)
    if (certificates.authorities !== undefined)
      client.environment.log('info', 'the bundles of the webhooks were written', {
        configuration: `${holder.kind} ${holder.objectName}`,
      })
    return live
  }

  async #apply(
    fields: object,
    fieldManager: string,
    { resourceVersion }: { readonly resourceVersion?: string | undefined } = {},
  ): Promise<Bundled> {
    const { client, holder, signal, live } = this.#parts
    const { isOwn, objectName: name, view } = holder
    const uid = live()?.metadata.uid
    const metadata = {
      name,
      ...(resourceVersion !== undefined && { resourceVersion }),
      // An object that was deleted meanwhile is not made again.
      ...(!isOwn && uid !== undefined && { uid }),
    }
    return (await client.apply(view, { ...fields, metadata } as never, {
      ...{ fieldManager, force: true, signal },
    })) as Bundled
  }

  get #mine(): readonly BundledPart[] {
    const live = this.#parts.live()
    return live === undefined ? [] : this.#parts.holder.mine(live)
  }

  /**
   * Whether the manager of bundles owns the bundle of each part, so that an apply of the rest does not remove the bundle. An interrupted start may have left a
   * bundle to the other manager.
   */
  get #hasBundles(): boolean {
    const { holder, managers } = this.#parts
    const live = this.#parts.live()
    const there = this.#mine
    if (live === undefined || holder.names.some(name => !there.some(one => one.name === name))) return false
    const rest = ownFields(live, managers.rest)?.fields ?? ''
    return !rest.includes('"f:caBundle"') && there.every(({ caBundle = '' }) => caBundle !== '')
  }

  get #bundle(): string | undefined {
    const { authorities, former } = this.#parts.certificates
    return authorities === undefined ? undefined : bundleOf([...authorities, ...former])
  }
}
