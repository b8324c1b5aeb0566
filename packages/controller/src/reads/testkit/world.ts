import { type Client, LabelSelector, type View } from '@wherry/client'
import { keyText, projector } from '@wherry/client/internal'
import { configMaps, secrets } from '@wherry/client/resources/core'
import { chance, choose, integer } from '@wherry/testing'
import { keyOf } from './kit.ts'
import { type Eyes, names, namespacesUsed, paths } from './programs.ts'

interface Stored {
  readonly metadata?: {
    readonly name?: string | undefined
    readonly namespace?: string | undefined
    readonly labels?: Record<string, string> | undefined
  }
}

/** Changes one object of a few at random: it comes, goes, changes, or changes in what few look at. */
export async function changeSomething(writer: Client, random: () => number): Promise<void> {
  const path = `${choose(random, namespacesUsed)}/${choose(random, names)}`
  const key = keyOf(path)
  const label = chance(random, 0.5)
    ? { app: choose(random, ['web', 'api']), tier: choose(random, ['x', 'y']) }
    : undefined
  const n = `${integer(random, 0, 9)}`
  const resource = chance(random, 0.5) ? configMaps : secrets
  const value = resource === secrets ? Buffer.from(n).toString('base64') : n
  const ref = resource === configMaps && chance(random, 0.5) ? { ref: choose(random, paths) } : {}
  const die = random()
  const isThere = (await writer.get(resource as typeof configMaps, key)) !== undefined
  if (!isThere) {
    const data = { n: value, ...ref, ...(chance(random, 0.3) && { odd: value }) }
    await writer.create(resource as typeof configMaps, { metadata: { ...key, labels: label }, data })
  } else if (die < 0.25) await writer.delete(resource as typeof configMaps, key)
  else if (die < 0.5) await writer.patch(resource as typeof configMaps, key, { data: { n: value, ref: null, ...ref } })
  else if (die < 0.75) {
    const labels = label ?? { app: null, tier: null }
    await writer.patch(resource as typeof configMaps, key, { metadata: { labels } } as never)
  } else await writer.patch(resource as typeof configMaps, key, { data: { beat: value } })
}

/** Sees what the server has now. */
export async function present(writer: Client): Promise<Eyes> {
  const stored = new Map<string, Map<string, Stored>>()
  for (const resource of [configMaps, secrets]) {
    const { items } = await writer.list(resource.full() as View<Stored>)
    const byKey = items.map(item => [keyText({ ...item.metadata, name: `${item.metadata?.name}` }), item] as const)
    stored.set(resource.resource.plural, new Map(byKey))
  }
  const of = (view: View): Map<string, Stored> => stored.get(view.resource.plural) ?? new Map()
  const get = async <C>(view: View<C>, path: string): Promise<C | undefined> => {
    const found = of(view).get(path)
    return found === undefined ? undefined : projector(view)(found)
  }
  const list = async <C>(view: View<C>, labels: string | undefined, namespace: string | undefined): Promise<C[]> => {
    const selector = view.labels.and(LabelSelector.of(labels ?? ''))
    return [...of(view).values()]
      .filter(({ metadata }) => {
        const within = `${metadata?.namespace}`
        const isIn = (namespace ?? within) === within && (view.namespaces?.includes(within) ?? true)
        return isIn && selector.matches(metadata?.labels)
      })
      .map(item => projector(view)(item))
  }
  return {
    get,
    select: async (view, path, select) => {
      const object = await get(view, path)
      return object === undefined ? undefined : select(object)
    },
    list,
    found: async (view, { of }, value) =>
      (await list(view, undefined, undefined)).filter(object => [of(object as never) ?? []].flat().includes(value)),
    parts: async (view, labels, select) => (await list(view, labels, undefined)).map(select),
  }
}
