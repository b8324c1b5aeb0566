import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type ApiServer, type ControlledApiServer, install } from '@wherry/apiserver'
import { Client, defineResource, type KubernetesObject } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { isRecord } from '../definition/shape.ts'
import { refused } from '../failure.ts'
import { oneLine } from '../one-line.ts'
import { withoutOwnConversion } from './own-webhooks.ts'

interface Kept {
  readonly items: readonly (KubernetesObject & { readonly apiVersion: string; readonly kind: string })[]
}

/** The resources with objects that are about a single run of an operator, and would mislead the next run. */
const passing = new Set(['events', 'leases'])

/** Stores the objects of an earlier server from a file, with their uids and statuses. If the file does not exist, makes its folder. */
export async function restoreObjects(server: ControlledApiServer, file: string): Promise<void> {
  // Fails now if the folder can't be made, because at the end the objects would be lost.
  await mkdir(dirname(file), { recursive: true })
  if (!existsSync(file)) return
  let kept: Kept
  try {
    kept = JSON.parse(await readFile(file, 'utf8')) as Kept
    if (!isKept(kept)) throw new TypeError('it is no list of objects')
  } catch (error) {
    throw refused(`${file} is not what --keep wrote: ${oneLine((error as Error).message)}`)
  }
  const isDefinition = ({ kind }: Kept['items'][number]): boolean => kind === 'CustomResourceDefinition'
  const definitions = kept.items.filter(isDefinition).map(({ metadata, ...rest }) => {
    const { name, labels, annotations } = metadata ?? {}
    const { status: _, ...definition } = rest as { readonly status?: unknown }
    return withoutOwnConversion({ ...definition, metadata: { name, labels, annotations } })
  })
  try {
    await install(server, ...definitions)
    await server.fill(kept.items.filter(one => !isDefinition(one)))
  } catch (error) {
    throw refused(`the objects in ${file} can't be stored: ${oneLine((error as Error).message)}`, error)
  }
}

function isKept(kept: unknown): boolean {
  return isRecord(kept) && Array.isArray(kept.items) && kept.items.every(one => isRecord(one) && isRecord(one.metadata))
}

/** Writes all objects of a server to a file. */
export async function keepObjects(server: ApiServer, file: string): Promise<void> {
  await using client = new Client({ url: server.url, ca: server.ca, token: server.token })
  const items: object[] = []
  const { items: definitions } = await client.list(customResourceDefinitions)
  // Discovery does not have the kinds of lists.
  const listKinds = new Map(definitions.map(({ metadata, spec }) => [metadata?.name, spec.names.listKind]))
  const seen = new Set<string>()
  for (const { group, version, kind, plural, namespaced, verbs } of await client.discoverAll()) {
    const id = `${plural}.${group}`
    if (seen.has(id) || passing.has(plural) || !verbs.includes('list') || !verbs.includes('create')) continue
    seen.add(id)
    const resource = defineResource<KubernetesObject>({
      ...{ group, version, kind, plural, namespaced, listKind: listKinds.get(id) },
    } as never)
    const apiVersion = group === '' ? version : `${group}/${version}`
    for (const object of (await client.list(resource)).items) items.push({ ...object, apiVersion, kind })
  }
  await writeFile(`${file}.new`, `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, undefined, 2)}\n`, {
    mode: 0o600,
  })
  await rename(`${file}.new`, file)
}
