import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { Client, type KubernetesObject } from '@wherry/client'
import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
import { namespaces } from '@wherry/client/resources/core'
import { startApiServer } from '@wherry/testing'
import { parse } from 'yaml'
import {
  type ClusterServiceVersion,
  clusterServiceVersions as csvs,
} from '../../../../examples/copied-resources/resources.ts'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { memoryAbove } from '../../harness/memory.ts'
import { define } from '../../server/define.ts'
import { SOURCES } from './fill-source.ts'
import { type Change, copyLabel, type Keeper, sources } from './keeper.ts'

/** So many objects are touched by each of the events that concern nobody. */
const TOUCHED = 10
const writing = ['create', 'update', 'patch', 'delete', 'deletecollection']

/**
 * Measures one way, on a server of its own in a process of its own, which counts the requests. Each of them is one line of an audit log at the
 * level Metadata without the stage RequestReceived: a watch that has begun, too.
 */
export async function measureCopied(context: SubjectContext, start: (client: Client) => Keeper): Promise<Metrics> {
  const spaces = Math.max(TOUCHED, Math.round(context.objects / SOURCES))
  const total = spaces * SOURCES
  await using server = await startApiServer({ isolate: true })
  const { url, ca, token } = server
  await using client = new Client({ url, ca, token })
  await using hand = new Client({ url, ca, token })
  const definition = '../../../../examples/copied-resources/deploy/crd/clusterserviceversions.operators.coreos.com.yaml'
  await define(hand, parse(readFileSync(new URL(definition, import.meta.url), 'utf8')) as CustomResourceDefinition)
  const module = new URL('./fill-source.ts', import.meta.url).href
  await server.fill({ module, export: 'fillSource', args: [spaces] })

  const counted = async (): Promise<{ readonly reads: number; readonly writes: number }> => {
    const { byVerb } = await server.stats()
    await server.resetStats()
    const of = (verbs: readonly string[]): number =>
      verbs.flatMap(verb => Object.values(byVerb[verb] ?? {})).reduce((sum, { requests }) => sum + requests, 0)
    return { reads: of(['get', 'list', 'watch']), writes: of(writing) }
  }
  /** One event: the keeper's requests, without those that made it. */
  let events_reads = 0
  const event = async (keeper: Keeper, make: () => Promise<readonly Change[]>): Promise<number> => {
    await counted()
    let changes = 0
    await keeper.after(async () => {
      const made = await make()
      changes = made.length
      return made
    })
    const { reads, writes } = await counted()
    events_reads += reads
    return writes - changes
  }

  await counted()
  const keeper = start(client)
  await keeper.started(total)
  const begun = await counted()
  const { heap_bytes, rss_bytes, peak_rss_bytes } = memoryAbove(context.start)
  await keeper.resync()
  const resync = await counted()

  const joined = await event(keeper, async () => {
    await hand.create(namespaces, { metadata: { name: 'new', labels: { member: 'true' } } })
    return [{ of: 'member', key: 'new', before: undefined, copies: SOURCES }]
  })
  const [left, ...touched] = (await hand.list(namespaces.within({ labels: { member: 'true' } }))).items
  const relabel = (space: KubernetesObject | undefined, labels: Record<string, string | null>) =>
    hand.patch(namespaces, { name: `${space?.metadata?.name}` }, { metadata: { labels } })
  const leaving = await event(keeper, async () => {
    await relabel(left, { member: null })
    return [changed('member', left, SOURCES)]
  })
  const labelled = await event(keeper, async () => {
    const some = touched.slice(0, TOUCHED)
    for (const space of some) await relabel(space, { note: 'x' })
    return some.map(space => changed('member', space, SOURCES))
  })
  const [first, ...others] = (await hand.list(sources)).items
  const reported = await event(keeper, async () => {
    const some = others.slice(0, TOUCHED)
    for (const source of some) await hand.status.patch(csvs, keyOf(source), { status: { phase: 'Succeeded' } })
    return some.map(source => changed('source', source, spaces))
  })
  const revised = await event(keeper, async () => {
    await hand.patch(csvs, keyOf(first), { spec: { displayName: 'changed' } })
    return [changed('source', first, spaces)]
  })
  const copy = await hand.get(csvs, { namespace: 'new', name: keyOf(first).name })
  const edited = await event(keeper, async () => {
    await hand.patch(csvs, keyOf(copy), { spec: { displayName: 'edited' } })
    return [changed('copy', copy, 1)]
  })
  const undone = (await hand.get(csvs, keyOf(copy)))?.spec?.displayName === 'changed'

  await keeper.close()
  await counted()
  await using fresh = new Client({ url, ca, token })
  const next = start(fresh)
  await next.started(total)
  const restart = await counted()
  await next.close()
  await check(hand, total)
  const events_writes = joined + leaving + labelled + reported + revised + edited
  return {
    heap_bytes,
    rss_bytes,
    peak_rss_bytes,
    start_writes: begun.writes,
    start_reads: begun.reads,
    resync_writes: resync.writes,
    resync_reads: resync.reads,
    join_writes: joined,
    leave_writes: leaving,
    labels_writes: labelled,
    statuses_writes: reported,
    revision_writes: revised,
    edit_writes: edited,
    edit_undone: Number(undone),
    events_writes,
    events_reads,
    restart_writes: restart.writes,
    restart_reads: restart.reads,
  }
}

/** The keepers' figures are worth something only if all copies are there, and as their sources are. */
async function check(client: Client, total: number): Promise<void> {
  const { items: copies } = await client.list(csvs.metadata().within({ labels: copyLabel }))
  if (copies.length !== total) throw new Error(`${copies.length} copies in place of ${total}`)
  const { items: originals } = await client.list(sources)
  const { items } = await client.list(csvs.within({ namespaces: ['new'] }))
  const specs = (list: readonly ClusterServiceVersion[]): Map<string, unknown> =>
    new Map(list.map(({ metadata, spec }) => [`${metadata?.name}`, spec]))
  if (!isDeepStrictEqual(specs(items), specs(originals))) throw new Error('copies are not as their sources are')
}

function keyOf(object: KubernetesObject | undefined): { readonly namespace: string; readonly name: string } {
  const { namespace = '', name = '' } = object?.metadata ?? {}
  return { namespace, name }
}

function changed(of: Change['of'], object: KubernetesObject | undefined, copies: number): Change {
  const { namespace, name } = keyOf(object)
  const key = namespace === '' ? name : `${namespace}/${name}`
  return { of, key, before: object?.metadata?.resourceVersion, copies }
}
