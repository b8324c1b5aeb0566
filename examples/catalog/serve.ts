import { createServer, type Server, type ServerResponse } from 'node:http'
import type { CatalogIndex } from './index/catalog-index.ts'
import { upgradePath } from './index/channel.ts'
import type { Pointer } from './index/release.ts'
import type { Catalogs } from './operator.ts'

/**
 * Answers installers with what the catalogs have:
 *
 *     GET /NAMESPACE/CATALOG/packages                            what can be installed: each package, its default channel, its channels and their heads
 *     GET /NAMESPACE/CATALOG/packages/PACKAGE                    the same of one package
 *     GET /NAMESPACE/CATALOG/channels/PACKAGE/CHANNEL            its releases, and the metadata of its head
 *     GET /NAMESPACE/CATALOG/upgrades/PACKAGE/CHANNEL?name=&version=   the way from an installed release
 *     GET /NAMESPACE/CATALOG/packages/PACKAGE/bundles/RELEASE/manifest        the manifest of the bundle; the release has its digest
 *     GET /NAMESPACE/CATALOG/packages/PACKAGE/bundles/RELEASE/layers/DIGEST   a layer of the bundle
 *
 * The metadata of a head lacks its icon, description and examples: they are in its bundle. The manifest names the digests of the layers. A client that compares all of them need not trust this server.
 */
export function catalogServer(catalogs: Catalogs): Server {
  return createServer((request, response) => {
    const asked = parsed(request.url ?? '')
    if (asked === undefined) return json(response, 400, { message: 'the URL is malformed' })
    answer(catalogs, asked.parts, asked.parameters, response).catch((error: Error) => {
      if (!response.headersSent) json(response, 502, { message: error.message })
    })
  })
}

/** The parts of a path, decoded, and the parameters. `undefined` for a malformed URL, which must not end the process. */
function parsed(path: string): { readonly parts: string[]; readonly parameters: URLSearchParams } | undefined {
  try {
    const { pathname, searchParams } = new URL(path, 'http://localhost')
    return { parts: pathname.slice(1).split('/').map(decodeURIComponent), parameters: searchParams }
  } catch {
    return undefined
  }
}

async function answer(
  catalogs: Catalogs,
  [namespace = '', name = '', what, ...rest]: string[],
  asked: URLSearchParams,
  response: ServerResponse,
): Promise<void> {
  if (what === 'packages' && rest[1] === 'bundles') {
    const [its = '', , release = '', part, digest = ''] = rest
    const bundle = await catalogs.bundle({ namespace, name }, its, release)
    const bytes = part === 'manifest' ? bundle?.manifest : part === 'layers' ? bundle?.layers.get(digest) : undefined
    if (bytes !== undefined) return void response.writeHead(200, { 'content-length': bytes.length }).end(bytes)
  }
  const [of = '', channelName = ''] = rest
  const index = catalogs.get(namespace, name)?.index
  if (index !== undefined && what === 'packages' && rest.length <= 1) {
    const packages = packagesOf(index)
    const found = of === '' ? packages : packages.find(one => one.name === of)
    if (found !== undefined) return json(response, 200, found)
  }
  const channel = index?.channel({ package: of, name: channelName })
  if (channel !== undefined && what === 'channels') {
    const { head, releases, metadata } = channel
    return json(response, 200, { head, releases, metadata: JSON.parse(metadata.toString()) })
  }
  if (channel !== undefined && what === 'upgrades') {
    const installed = { name: asked.get('name') ?? '', version: asked.get('version') ?? '0.0.0' }
    return json(response, 200, upgradePath(channel.releases, installed))
  }
  json(response, 404, { message: 'not in the catalog' })
}

interface Package {
  readonly name: string
  /** Missing if the package has several channels, and none was made the default. */
  readonly defaultChannel?: string | undefined
  readonly channels: readonly { readonly name: string; readonly head: Pointer }[]
}

/** The packages of an index, in the order of their names. */
function packagesOf(index: CatalogIndex): Package[] {
  return [...Map.groupBy(index.channels, one => one.package)].map(([name, its]) => ({
    name,
    defaultChannel: index.defaultChannel(name),
    channels: its.flatMap(({ name, head, releases }) => {
      const pointer = releases.find(one => one.name === head)
      return pointer === undefined ? [] : [{ name, head: pointer }]
    }),
  }))
}

function json(response: ServerResponse, code: number, value: unknown): void {
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}
