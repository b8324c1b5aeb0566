import { type Client, defineResource, type KubernetesObject } from '@wherry/client'
import { type CustomResourceDefinition, customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { isRecord } from '../definition/shape.ts'
import { type Difference, differences } from '../diff/differences.ts'
import { oneLine } from '../one-line.ts'

/** The maximum number of objects that are named. */
const mostNamed = 3

/**
 * Applies definitions. Resolves with a line for each change that stored objects may not fit: a server does not check stored objects again, and
 * refuses each write of them.
 */
export async function appliedWithWarnings(client: Client, apply: () => Promise<void>): Promise<readonly string[]> {
  const olds = new Map((await client.list(customResourceDefinitions)).items.map(one => [one.metadata?.name ?? '', one]))
  await apply()
  const { items } = await client.list(customResourceDefinitions)
  const known = items.filter(({ metadata }) => olds.has(metadata?.name ?? ''))
  const breaking = differences(olds, known).filter(({ verdict }) => verdict === 'breaks stored objects')
  const lines: string[] = []
  for (const one of breaking) {
    const definition = known.find(({ metadata }) => metadata?.name === one.name)
    const names = definition === undefined ? [] : await unfit(client, definition, one)
    if (names.length === 0) continue
    const more = names.length > mostNamed ? `, and ${names.length - mostNamed} more` : ''
    lines.push(
      oneLine(
        `${one.name} ${one.path}: ${one.change}, and these objects are stored from before: ${names.slice(0, mostNamed).join(', ')}${more}. Mend or delete them, or make the field optional`,
      ),
    )
  }
  return lines
}

/** The objects that a change is about: the objects without a field that is required now, or all objects for other changes. */
async function unfit(
  client: Client,
  { spec }: CustomResourceDefinition,
  change: Difference,
): Promise<readonly string[]> {
  const { group, scope, names } = spec
  const version = spec.versions.find(({ served }) => served)?.name
  if (version === undefined) return []
  const resource = defineResource<KubernetesObject>({
    ...{
      group,
      version,
      kind: names.kind,
      plural: names.plural,
      namespaced: scope === 'Namespaced',
      listKind: names.listKind,
    },
  })
  const path = change.path.split('.').filter(part => part !== '')
  const isRequired = change.change.startsWith('required') && path.every(part => /^[\w-]+$/.test(part))
  const { items } = await client.list(resource)
  return items
    .filter(object => !isRequired || lacks(object, path))
    .map(({ metadata }) => [metadata?.namespace, metadata?.name].filter(Boolean).join('/'))
}

/** Whether an object has the parent of a field but not the field. */
function lacks(object: unknown, [key = '', ...rest]: readonly string[]): boolean {
  if (!isRecord(object)) return false
  if (rest.length > 0) return lacks(object[key], rest)
  return object[key] === undefined
}
