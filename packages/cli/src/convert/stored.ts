import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Client, KubernetesObject } from '@wherry/client'
import { readYaml, YamlError } from '@wherry/crd/internal'
import { isRecord } from '../definition/shape.ts'
import { CommandFailure, refused, wrongUsage } from '../failure.ts'
import type { CommandHost } from '../host.ts'
import { oneLine } from '../one-line.ts'
import type { CheckedConversion } from './conversions.ts'

/** Objects of a conversion's kind. */
export interface StoredObjects {
  readonly conversion: CheckedConversion
  readonly objects: AsyncIterable<KubernetesObject> | Iterable<KubernetesObject>
}

/**
 * The objects that conversions are tried on.
 *
 * @param source `cluster` for the current context, `cluster:CONTEXT` for another, a file of YAML or JSON, or `-` for the standard input
 */
export async function* storedObjects(
  source: string,
  conversions: readonly CheckedConversion[],
  host: CommandHost,
): AsyncGenerator<StoredObjects> {
  const [, context] = /^cluster(?::(.+))?$/.exec(source) ?? []
  if (source === 'cluster' || context !== undefined) return yield* fromCluster(context, conversions)
  const all = await fromFile(source, host)
  for (const conversion of conversions) {
    const { group, kind } = conversion.hub.resource
    const objects = all.filter(one => one.kind === kind && `${one.apiVersion}`.startsWith(`${group}/`))
    if (objects.length === 0) throw wrongUsage(`${source} has no ${kind} of ${group}`)
    yield { conversion, objects }
  }
}

async function fromFile(file: string, { cwd, stdin }: CommandHost): Promise<readonly KubernetesObject[]> {
  const content = await (file === '-' ? text(stdin ?? Readable.from([])) : readFile(resolve(cwd, file), 'utf8')).catch(
    () => {
      throw wrongUsage(`${file} can't be read`)
    },
  )
  try {
    return readYaml(content)
      .flatMap(one => (isRecord(one) && Array.isArray(one.items) ? (one.items as readonly unknown[]) : [one]))
      .filter(isRecord) as readonly KubernetesObject[]
  } catch (error) {
    if (error instanceof YamlError) throw refused(`${file}: ${error.message}`, error)
    throw error
  }
}

async function* fromCluster(
  context: string | undefined,
  conversions: readonly CheckedConversion[],
): AsyncGenerator<StoredObjects> {
  const { Client, fromKubeconfigFile } = await import('@wherry/client')
  const unreadable = (cause: unknown): CommandFailure =>
    new CommandFailure(`the objects can't be read from the cluster: ${oneLine((cause as Error).message)}`, 2, { cause })
  let client: Client
  try {
    client =
      context === undefined
        ? await Client.connect()
        : new Client({ access: await fromKubeconfigFile(undefined, { context }) })
  } catch (cause) {
    throw unreadable(cause)
  }
  try {
    for (const conversion of conversions) {
      const objects = await listed(client, conversion).catch(cause => {
        throw unreadable(cause)
      })
      yield { conversion, objects }
    }
  } finally {
    await client.close()
  }
}

/** Lists all objects at the storage version, at which the API server converts only objects that are stored at an older version. */
async function listed(client: Client, { name, hub }: CheckedConversion): Promise<readonly KubernetesObject[]> {
  const { defineResource } = await import('@wherry/client')
  const { customResourceDefinitions } = await import('@wherry/client/resources/apiextensions')
  const definition = await client.get(customResourceDefinitions, { name })
  if (definition === undefined) throw new Error(`there is no CustomResourceDefinition ${name}`)
  const { name: version = hub.resource.version } = definition.spec.versions.find(({ storage }) => storage) ?? {}
  const view = defineResource<KubernetesObject>({ ...hub.resource, version })
  const { items } = await client.list(view)
  return items.map(one => ({ ...one, apiVersion: `${hub.resource.group}/${version}`, kind: hub.resource.kind }))
}
