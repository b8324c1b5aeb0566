import { configMaps } from '@wherry/client/resources/core'
import { chance, choose, forEachSeed, integer } from '@wherry/testing'
import { expect, it } from 'vitest'
import { type Fleet, inFleet, watched } from './testkit/fleet.ts'

it('M1, M2: whatever clusters and networks do, each object of each cluster is reconciled there, and nowhere else', async () => {
  const seen = { runs: 0, removals: 0, moves: 0, breaks: 0 }
  const count = await forEachSeed(seed => inFleet(sites, fleet => play(fleet, seen), seed).then(() => {}), {
    seeds: 10,
  })
  // Nothing is proved if nothing happens; in a few seeds some of it may not.
  if (count >= 5) for (const times of Object.values(seen)) expect(times).toBeGreaterThan(count)
})

const sites = ['a', 'b', 'c']
const names = ['one', 'two', 'three']

async function play(
  fleet: Fleet,
  seen: { runs: number; removals: number; moves: number; breaks: number },
): Promise<void> {
  const { simulation } = fleet
  const random = simulation.random.fork('test')
  /** The site of each cluster, by the test's Secrets. */
  const wanted = new Map<string, string>()
  const running = new Map<string, string>()
  const wrong: string[] = []
  const { clusters, operator } = fleet.operate((operator, { name: cluster }) => {
    const { server } = operator.client
    operator
      .controller('config')
      .for(watched)
      .reconcile(async ({ key, object, apply }) => {
        seen.runs += 1
        const id = `${cluster} ${key.name}`
        if (clusters.operator(cluster) !== operator) wrong.push(`${id} begins for an operator that has ended`)
        if (running.has(id)) wrong.push(`${id} runs twice, in ${running.get(id)} and ${server}`)
        running.set(id, server)
        const data = { ...object.data, server, cluster }
        try {
          await apply(configMaps, { metadata: { name: `${cluster}-${key.name}` }, data })
        } finally {
          running.delete(id)
        }
      })
      .onGone(({ key }) => void wrong.push(`${cluster} ${key.name} is gone`))
  })
  for (const site of sites) for (const name of names) await fleet.write(site, name, { step: '0' })
  for (let step = 1; step <= 25; step += 1) {
    const [cluster, site] = [choose(random, ['x', 'y', 'z']), choose(random, sites)]
    const { network } = fleet.site(site)
    const act = choose(random, ['set', 'set', 'set', 'forget', 'spoil', 'break', 'break', 'heal', 'heal'])
    if (act === 'set') {
      if (wanted.has(cluster)) seen.moves += 1
      await fleet.secret(cluster, { site })
      wanted.set(cluster, site)
    }
    if (act === 'forget' && wanted.delete(cluster)) {
      seen.removals += 1
      await fleet.forget(cluster)
    }
    if (act === 'spoil' && wanted.has(cluster)) await fleet.secret(cluster, { site, kubeconfig: '{' })
    if (act === 'break') {
      seen.breaks += 1
      if (chance(random, 0.5)) fleet.kill(site)
      else network.controls.hang(true)
    }
    if (act === 'heal') {
      network.controls.refuse(false)
      network.controls.hang(false)
    }
    await fleet.write(choose(random, sites), choose(random, names), { step: `${step}` })
    await simulation.advance(integer(random, 1, 30_000))
  }
  for (const { network } of fleet.sites.values()) {
    network.controls.refuse(false)
    network.controls.hang(false)
  }
  for (const [cluster, site] of wanted) await fleet.secret(cluster, { site })
  await simulation.advance(400_000)
  expect(operator.state).toBe('running')
  expect(clusters.report().map(({ name, state }) => `${name} ${state}`)).toEqual(
    [...wanted.keys()].toSorted().map(name => `${name} running`),
  )
  for (const [cluster, site] of wanted) {
    const { client } = fleet.site(site)
    for (const name of names) {
      const source = await client.get(configMaps, { namespace: 'default', name })
      const made = await client.get(configMaps, { namespace: 'default', name: `${cluster}-${name}` })
      const server = `https://${site}.example.com/`
      expect(made?.data, `${cluster}-${name} of ${site}`).toEqual({ ...source?.data, server, cluster })
    }
  }
  // Each ConfigMap is on the server that the Secret of its cluster named.
  for (const site of sites) {
    const { items } = await fleet.site(site).client.list(configMaps.within({ namespaces: ['default'] }))
    for (const { data } of items) if (data?.server) expect(data.server).toBe(`https://${site}.example.com/`)
  }
  expect(wrong).toEqual([])
}
