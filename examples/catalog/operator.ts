import { join } from 'node:path'
import type { Client } from '@wherry/client'
import { secrets } from '@wherry/client/resources/core'
import { Channel, generationChanged, type NewCondition, type Operator, type ReconcileContext } from '@wherry/controller'
import { Catalog, type CatalogOptions } from './catalog.ts'
import { type CatalogSource, catalogSources, untilNextPoll } from './catalog-source.ts'
import { IndexFile } from './index-file.ts'
import { imageReference } from './registry/reference.ts'
import type { Image } from './registry/repository.ts'

/** How soon the registry is asked again after a failure, at most. */
export const retryMs = 30_000

/** So many sources may be polled at the same time. A poll waits for its registry most of the time, and a slow one must hold up no other. */
const mostPolls = 256

export interface CatalogsOptions extends CatalogOptions {
  /** The proxy of sources that name none, as HTTPS_PROXY has it. @default none */
  readonly proxy?: string | undefined
  /** Hosts that are reached without a proxy, as NO_PROXY has them. @default none */
  readonly noProxy?: string | undefined
  /** The folder of files with the last good index of each CatalogSource. @default none: in memory only */
  readonly folder?: string | undefined
}

/** The catalogs that the operator serves. */
export class Catalogs {
  readonly #catalogs = new Map<string, Catalog>()
  /** Why the last bundle that this process was asked for did not come; `undefined` if it came. */
  readonly #failures = new Map<string, Error | undefined>()
  readonly options: CatalogsOptions
  /** Reports to the controller that a bundle failed, or came after one had failed. */
  readonly bundles: Channel<{ namespace: string; name: string }> = new Channel<{ namespace: string; name: string }>(
    'bundles',
  )

  constructor(options: CatalogsOptions = {}) {
    this.options = options
  }

  get(namespace: string, name: string): Catalog | undefined {
    return this.#catalogs.get(`${namespace}/${name}`)
  }

  /** A bundle of a catalog. Whether the registry gave it is said in the status of its CatalogSource. */
  async bundle(
    { namespace, name }: { readonly namespace: string; readonly name: string },
    of: string,
    release: string,
  ): Promise<Image | undefined> {
    const key = `${namespace}/${name}`
    const catalog = this.#catalogs.get(key)
    try {
      const bundle = await catalog?.bundle(of, release)
      // The status may have a failure of the process before.
      const isNews = !this.#failures.has(key) || this.#failures.get(key) !== undefined
      if (bundle !== undefined && isNews && this.#catalogs.get(key) === catalog) {
        this.#failures.set(key, undefined)
        this.#report({ namespace, name })
      }
      return bundle
    } catch (thrown) {
      const error = thrown as Error
      // Each run asks the registry: it does not report the same failure again, nor a catalog that went meanwhile.
      const isNews = this.#failures.get(key)?.message !== error.message && this.#catalogs.get(key) === catalog
      if (isNews) {
        this.#failures.set(key, error)
        this.#report({ namespace, name })
      }
      throw error
    }
  }

  /** Whether the last bundle that was asked for came, and why not. `undefined` if none was asked for since the process began. */
  lastBundle(key: string): { readonly failure: Error | undefined } | undefined {
    return this.#failures.has(key) ? { failure: this.#failures.get(key) } : undefined
  }

  open(key: string, onError: (error: Error) => void = () => {}): Catalog {
    const known = this.#catalogs.get(key)
    if (known !== undefined) return known
    const catalog = new Catalog(this.options, this.#fileOf(key, onError))
    this.#catalogs.set(key, catalog)
    return catalog
  }

  /** The CatalogSource has gone: its index goes, too. */
  async remove(key: string, onError: (error: Error) => void): Promise<void> {
    await this.#fileOf(key, onError)?.delete()
    await this.#closed(key)
  }

  /** Closes all of them. Their files stay. */
  async close(): Promise<void> {
    await Promise.all([...this.#catalogs.keys()].map(key => this.#closed(key)))
  }

  async #closed(key: string): Promise<void> {
    const catalog = this.#catalogs.get(key)
    this.#catalogs.delete(key)
    this.#failures.delete(key)
    await catalog?.close()
  }

  /** No name in Kubernetes has a `_`. */
  #fileOf(key: string, onError: (error: Error) => void): IndexFile | undefined {
    const { folder } = this.options
    return folder === undefined ? undefined : new IndexFile(join(folder, key.replace('/', '_')), onError)
  }

  #report(key: { namespace: string; name: string }): void {
    if (this.bundles.connections > 0) this.bundles.send(key)
  }
}

/** Keeps the catalog of each CatalogSource as its image has it. */
export function declareCatalogs(operator: Operator, catalogs: Catalogs): void {
  operator
    .controller('catalogsource', { concurrency: mostPolls })
    .for(catalogSources)
    .withPredicates(generationChanged) // not for the status that it writes itself
    .from(catalogs.bundles)
    .reconcile(async context => {
      const { object: source, key, status, now, signal, client } = context
      const name = `${key.namespace}/${key.name}`
      const onError = errorsAbout(client, name)
      const catalog = catalogs.open(name, onError)
      let failure: unknown
      try {
        const image = imageReference(source.spec.image)
        const { caBundle, proxy = catalogs.options.proxy } = source.spec
        const { noProxy } = catalogs.options
        const ca = caBundle === undefined ? undefined : Buffer.from(caBundle, 'base64').toString()
        catalog.configure(image, { ca, proxy, noProxy, dockerConfig: await pullSecretOf(context) })
        await catalog.poll(signal)
      } catch (error) {
        signal.throwIfAborted()
        failure = error
      }
      await status(statusOf(catalog, failure, bundlesReady(source, catalogs.lastBundle(name))))
      const next = untilNextPoll(source.spec, now().getTime())
      return { requeueAfterMs: failure === undefined ? next : Math.min(next, retryMs) }
    })
    .onGone(({ key, client }) => {
      const name = `${key.namespace}/${key.name}`
      return catalogs.remove(name, errorsAbout(client, name))
    })
}

/** Reports what goes wrong outside a run, about a CatalogSource. */
function errorsAbout({ environment }: Client, key: string): (error: Error) => void {
  return error => environment.onError(error, { phase: 'index file', resource: catalogSources.key, key })
}

/** The pull secret is read through the narrow cache and tracked: this runs again as soon as it is rotated. */
async function pullSecretOf({
  object,
  read,
}: Pick<ReconcileContext<CatalogSource>, 'object' | 'read'>): Promise<string | undefined> {
  const { pullSecret } = object.spec
  if (pullSecret === undefined) return undefined
  const select = ({ data }: { data?: Record<string, string> | null | undefined }): string | null =>
    data?.['.dockerconfigjson'] ?? null
  const config = await read.get(secrets, { name: pullSecret.name }, { select })
  if (config == null) throw new NoPullSecretError(`the pull secret ${pullSecret.name} is not there`)
  return Buffer.from(config, 'base64').toString()
}

class NoPullSecretError extends Error {
  override readonly name = 'NoPullSecretError'
  readonly reason = 'NoPullSecret'
}

/** What the status says of bundles stays until one is asked for. */
function bundlesReady({ status }: CatalogSource, last: ReturnType<Catalogs['lastBundle']>): NewCondition {
  const before = status?.conditions?.find(({ type }) => type === 'BundlesReady')
  if (last === undefined && before !== undefined) return before as NewCondition
  return conditionOf('BundlesReady', last?.failure, 'no bundle that was asked for has failed')
}

function statusOf(catalog: Catalog, failure: unknown, ofBundles: NewCondition) {
  const { index, digest } = catalog
  const serving =
    index === undefined
      ? { type: 'Serving', status: 'False' as const, reason: 'NoIndex', message: 'no index was read yet' }
      : { type: 'Serving', status: 'True' as const, reason: 'IndexRead', message: `the index ${digest} serves` }
  const conditions = [serving, conditionOf('UpToDate', failure, 'the index is that of the image'), ofBundles]
  if (index === undefined || digest === undefined) return { conditions }
  const releases = index.channels.reduce((sum, one) => sum + one.releases.length, 0)
  return { digest, channels: index.channels.length, releases, conditions }
}

function conditionOf(type: string, failure: unknown, message: string) {
  if (failure === undefined) return { type, status: 'True' as const, reason: 'AsExpected', message }
  const { reason, name = 'Error', message: why } = failure as Error & { reason?: string }
  return {
    type,
    status: 'False' as const,
    reason: reason ?? name.replace(/Error$/, ''),
    message: why.slice(0, 256).toWellFormed(),
  }
}
