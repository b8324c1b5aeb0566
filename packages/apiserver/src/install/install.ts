import { type JsonObject, objectAt, objectsAt, parseJson, stringAt } from '@wherry/cel/internal'
import type { ApiServer } from '../api-server.ts'
import { type Asker, asking } from './asker.ts'
import { type Manifest, type ManifestSource, manifestsOf } from './manifests.ts'
import { pathOf, untilServed } from './served.ts'

const manager = 'wherry-install'

/** Thrown by `install`. The message names the file and the object, and contains the server's answer. */
export class InstallError extends Error {
  readonly code: 'ERR_WHERRY_INSTALL' = 'ERR_WHERRY_INSTALL'
  /** The status of the server's answer, such as 422. `undefined` if no request was sent, or no answer came. */
  readonly status: number | undefined

  constructor(message: string, status?: number, cause?: unknown) {
    super(`install: ${message}`, { cause })
    this.name = 'InstallError'
    this.status = status
  }
}

/**
 * Applies manifests to a test's server, as `kubectl apply --server-side` does, and waits until the definitions among them are served. Definitions come
 * first, then namespaces, then the rest in the order given. An object of a namespaced kind without a namespace is created in `default`.
 *
 * ```ts
 * await install(server, 'deploy/crd', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'games' } })
 * ```
 *
 * @param sources the path of a file, or of a folder (its files `*.yaml`, `*.yml` and `*.json`, without those of folders in it and without
 *   kustomizations); YAML text; or an object
 * @throws `InstallError` for a file that can't be read, a text that is no manifest, and an object that the server refuses. Objects applied before it stay.
 *
 * @example
 * ```ts
 * import { install, startApiServer } from '@wherry/testing'
 *
 * await using server = await startApiServer()
 * await install(server, 'deploy/crd')
 * ```
 */
export async function install(server: ApiServer, ...sources: readonly ManifestSource[]): Promise<void> {
  const manifests = sources.flatMap(source => read(source))
  const definitions = manifests.filter(({ kind }) => kind === 'CustomResourceDefinition')
  const namespaces = manifests.filter(({ kind }) => kind === 'Namespace')
  const first = new Set([...definitions, ...namespaces])
  await asking(server, async asker => {
    const applier = new Applier(asker)
    for (const manifest of definitions) await applier.apply(manifest)
    for (const { object, title } of definitions)
      await untilServed(asker, object).catch((error: Error) => {
        throw new InstallError(`${title}: ${error.message}`, undefined, error)
      })
    for (const manifest of [...namespaces, ...manifests.filter(one => !first.has(one))]) await applier.apply(manifest)
  })
}

function read(source: ManifestSource): Manifest[] {
  try {
    return manifestsOf(source)
  } catch (error) {
    throw new InstallError((error as Error).message, undefined, error)
  }
}

/** Applies objects, and remembers the server's resources. */
class Applier {
  readonly #asker: Asker
  readonly #resources = new Map<string, readonly JsonObject[]>()

  constructor(asker: Asker) {
    this.#asker = asker
  }

  async apply(manifest: Manifest): Promise<void> {
    const path = `${await this.#pathOf(manifest)}?fieldManager=${manager}&force=true`
    const { status, text } = await this.#asker.ask('PATCH', path, manifest.object, 'application/apply-patch+yaml')
    if (status >= 300) throw new InstallError(`${manifest.title}: ${messageOf(text)}`, status)
  }

  async #pathOf({ object, apiVersion, kind, name, title }: Manifest): Promise<string> {
    const resources = await this.#resourcesOf(apiVersion)
    const found = resources.find(one => one.kind === kind && !`${one.name}`.includes('/'))
    if (found === undefined)
      throw new InstallError(`${title}: the server has no kind ${kind} of ${apiVersion}: is its definition installed?`)
    const namespace = stringAt(objectAt(object, 'metadata'), 'namespace') ?? 'default'
    const within = found.namespaced === true ? `/namespaces/${encodeURIComponent(namespace)}` : ''
    return `${pathOf(apiVersion)}${within}/${found.name}/${encodeURIComponent(name)}`
  }

  async #resourcesOf(apiVersion: string): Promise<readonly JsonObject[]> {
    const known = this.#resources.get(apiVersion)
    if (known !== undefined) return known
    const { status, text } = await this.#asker.ask('GET', pathOf(apiVersion))
    const resources = status === 200 ? objectsAt(parseJson(text) as JsonObject, 'resources') : []
    this.#resources.set(apiVersion, resources)
    return resources
  }
}

function messageOf(text: string): string {
  try {
    return stringAt(parseJson(text) as JsonObject, 'message') ?? text
  } catch {
    return text
  }
}
