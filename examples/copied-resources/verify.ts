import type { View } from '@wherry/client'
import { events, namespaces } from '@wherry/client/resources/core'
import { isConditionTrue } from '@wherry/controller'
import { copySetLabel } from '@wherry/copies'
import { loadData } from '@wherry/data'
import type { Stage } from '../../tools/runner/stage.ts'
import { type ClusterServiceVersion, clusterServiceVersions as csvs, olmConfigs } from './resources.ts'

const sources = 5
const members = 6
/** Without the one with the name that is taken. */
const all = sources * members - 1
const copiesIn = (namespace?: string): View<ClusterServiceVersion, 'namespaced'> =>
  csvs.within({ labels: copySetLabel, ...(namespace && { namespaces: [namespace] }) })

/** Plays the users of an operator group. */
export async function verify({ client, start, rest, until, say }: Stage): Promise<void> {
  const copies = async () => (await client.list(copiesIn())).items
  const count = async (namespace?: string) => (await client.list(copiesIn(namespace))).items.length
  const createMember = (name: string) =>
    client.create(namespaces, { metadata: { name, labels: { 'operator-group': 'arcade' } } })
  const label = (name: string, value: string | null) =>
    client.patch(namespaces, { name }, { metadata: { labels: { 'operator-group': value } } })
  const edit = (namespace: string, name: string, spec: object) => client.patch(csvs, { namespace, name }, { spec })

  for (let i = 0; i < members; i++) await createMember(`member-${i}`)
  for (const name of ['operators', 'other']) await client.create(namespaces, { metadata: { name } })
  const [first = '', second = ''] = await createSources(client)
  const taken = { namespace: 'member-0', name: first }
  const mine = await client.create(csvs, { metadata: taken, spec: { displayName: 'of a user' } })
  say(`${sources} ClusterServiceVersions, ${members} namespaces; ${loadData().note}`)

  const began = performance.now()
  const program = start()
  await until('all copies are there', async () => (await count()) === all)
  say(`${all} copies are there ${since(began)} ms after the program began`)

  const came = performance.now()
  await createMember('new')
  await until('a new namespace is filled', async () => (await count('new')) === sources)
  say(`a new namespace is filled ${since(came)} ms after it came`)
  await label('other', 'arcade')
  await until('a namespace that joins is filled', async () => (await count('other')) === sources)
  for (const name of ['other', 'new']) await label(name, null)
  await until('the copies go from namespaces that leave', async () => (await count()) === all)
  say('labels decide which namespaces have copies, at any time')

  const original = (await client.get(csvs, { namespace: 'member-1', name: second }))?.spec
  await edit('member-1', second, { displayName: 'edited' })
  await until('an edit of a copy is undone', async () => {
    const copy = await client.get(csvs, { namespace: 'member-1', name: second })
    return copy?.spec?.displayName === original?.displayName
  })
  await client.status.patch(csvs, { namespace: 'member-1', name: second }, { status: { reason: 'Edited' } })
  await until('an edit of the status of a copy is undone', async () => {
    const copy = await client.get(csvs, { namespace: 'member-1', name: second })
    return copy?.status?.reason === 'Copied'
  })
  await client.status.patch(csvs, { namespace: 'operators', name: second }, { status: { phase: 'Succeeded' } })
  await until('the phase of a source is in all its copies', async () => {
    const there = (await copies()).filter(({ status }) => status?.phase === 'Succeeded' && status.reason === 'Copied')
    return there.length === members
  })
  await edit('operators', second, { displayName: 'changed' })
  await until('a change of a source is in all its copies', async () => {
    return (await copies()).filter(({ spec }) => spec?.displayName === 'changed').length === members
  })
  say('an edit of a copy or of its status is undone, and a change of a source is in all its copies')

  await program.kill()
  const missed = { namespace: 'member-2', name: second }
  await client.delete(csvs, missed)
  const before = new Map((await copies()).map(copy => [copy.metadata?.uid, copy.metadata?.resourceVersion]))
  const next = start()
  await until('the copy that was missing is there', () => client.get(csvs, missed))
  await until('its status, too', async () => (await client.get(csvs, missed))?.status?.reason === 'Copied')
  const written = (await copies()).filter(({ metadata }) => before.get(metadata?.uid) !== metadata?.resourceVersion)
  if (written.length !== 1) throw new Error(`a new process wrote ${written.length} copies for one that was missing`)
  say('killed and started again, it writes the one copy that was missing')

  const settings = { name: 'cluster' }
  await client.create(olmConfigs, { metadata: settings, spec: { features: { disableCopiedCSVs: true } } })
  await until('all copies are gone', async () => (await count()) === 0)
  await until('the OLMConfig says so', async () => {
    const { status } = (await client.get(olmConfigs, settings)) ?? {}
    return isConditionTrue(status?.conditions, 'DisabledCopiedCSVs')
  })
  await client.patch(olmConfigs, settings, { spec: { features: { disableCopiedCSVs: false } } })
  await until('all copies are back', async () => (await count()) === all)
  say('switched off, the copies are gone; switched on, they are back')

  const { metadata } = (await client.get(csvs, taken)) ?? {}
  if (metadata?.resourceVersion !== mine.metadata?.resourceVersion) throw new Error('the object of a user was written')
  say('an object of a user with the name of a copy is as it was')

  let change = 0
  await until('an event says that somebody else writes a copy', async () => {
    await edit('member-3', second, { displayName: `edited ${change++}` })
    return (await client.list(events)).items.some(({ reason }) => reason === 'FieldFight')
  })
  await until('the copy is as its original again', async () => {
    const key = { namespace: 'member-3', name: second }
    return !(await client.get(csvs, key))?.spec?.displayName?.startsWith('edited')
  })
  say('a copy that is edited again and again is reported by an event')

  // Of an object of that name the operator learns only when the server refuses to create the copy: at each start.
  await client.delete(csvs, taken)
  await until('its copy is there', async () => (await client.get(csvs, taken))?.status?.reason === 'Copied')
  await rest(next)
}

/** Creates real ClusterServiceVersions, or their stand-ins: the smallest ones. Returns their names. */
async function createSources(client: Stage['client']): Promise<string[]> {
  const sizes = loadData().clusterServiceVersions.map(csv => ({ csv, size: JSON.stringify(csv).length }))
  const chosen = sizes.sort((a, b) => a.size - b.size).slice(0, sources)
  for (const { csv } of chosen) {
    const { metadata, spec } = csv as ClusterServiceVersion
    const { name, labels, annotations } = metadata ?? {}
    await client.create(csvs, { metadata: { namespace: 'operators', name, labels, annotations }, spec })
  }
  return chosen.map(({ csv }) => csv.metadata.name)
}

function since(began: number): number {
  return Math.round(performance.now() - began)
}
