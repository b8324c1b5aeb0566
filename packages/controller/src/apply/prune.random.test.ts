import { Client } from '@wherry/client'
import { isConnectionError } from '@wherry/client/internal'
import { configMaps } from '@wherry/client/resources/core'
import { chance, choose, type FaultRule, forEachSeed, integer } from '@wherry/testing'
import { expect, it } from 'vitest'
import { Operator } from '../operator/operator.ts'
import { type Arcade, inArcade } from '../operator/testkit/arcade.ts'
import { at, games, ours } from '../operator/testkit/games.ts'

const verbs = ['patch', 'delete', 'list', 'watch'] as const
const effects: readonly FaultRule['effect'][] = [
  { kind: 'drop', after: true },
  { kind: 'drop' },
  { kind: 'delay', ms: 3000 },
  { kind: 'status', code: 500 },
  { kind: 'status', code: 422 },
]
const primaries = ['chess', 'go'] as const
const names = ['a', 'b', 'c', 'd', 'e'] as const

it('A11: whatever happens, the wanted objects exist in the end, and no object of others was ever deleted', async () => {
  await forEachSeed(seed => inArcade({ seed }, round), { seeds: 100 })
})

/** Two games want parts, each named by its title. They change, the operator restarts, and requests fail. */
async function round(arcade: Arcade): Promise<void> {
  const { client, server, simulation } = arcade
  const { random } = simulation.environment
  const person = client.withOwnConnections()
  const wantedBy = new Map<string, Set<string>>()
  const lost: string[] = []
  const start = (): (() => Promise<void>) => {
    const transport = server.transport({ random: simulation.random.fork(`${simulation.clock.monotonic()}`) })
    const own = new Client({ url: server.url, token: server.token, transport, environment: simulation.environment })
    const operator = new Operator({ name: 'arcade', client: own })
    operator
      .controller('game')
      .for(games)
      .owns(ours)
      .reconcile(async ({ object, apply, prune, sleep }) => {
        const applies = partsOf(object.spec.title).map(part =>
          apply(ours, { metadata: { name: `${object.metadata.name}-${part}` } }),
        )
        if (chance(random, 0.2)) await sleep(integer(random, 0, 500))
        if (chance(random, 0.2)) throw new Error('on purpose')
        const ended = await Promise.allSettled(applies)
        await prune(ours, { atOnce: integer(random, 1, 3) })
        for (const one of ended) if (one.status === 'rejected') throw one.reason
      })
    const running = operator.run({ signals: false }).catch(() => {})
    return async () => {
      await operator.close()
      await running
      await own.close()
    }
  }
  const said = async (work: Promise<unknown>): Promise<void> => {
    await work.catch(error => {
      if (!isConnectionError(error)) throw error
    })
  }
  const wants = (name: string): string => {
    const wanted = names.filter(() => chance(random, 0.5))
    wantedBy.set(name, new Set(wanted.map(part => `${name}-${part}`)))
    return wanted.join(' ')
  }
  for (const name of primaries)
    await person.create(games, { metadata: at(name), spec: { title: wants(name), secret: 'x' } })
  const { uid = '' } = (await person.get(games, at('chess')))?.metadata ?? {}
  const owner = { apiVersion: 'arcade.example.com/v1', kind: 'Game', name: 'chess', uid, controller: true }
  const labels = { 'app.kubernetes.io/managed-by': 'game' }
  await person.create(configMaps, { metadata: { ...at('foreign'), labels, ownerReferences: [owner] } })
  await person.create(configMaps, { metadata: { ...at('free'), labels } })
  const received = person.watchEach(configMaps.within({ namespaces: ['default'] }), {
    event: (type, { metadata }) => {
      if (type === 'DELETED' && ['foreign', 'free'].includes(`${metadata?.name}`)) lost.push(`${metadata?.name}`)
    },
    end: () => {},
  })
  let stop = start()
  for (let step = 0; step < 12; step += 1) {
    await simulation.advance(integer(random, 0, 3000))
    if (chance(random, 0.4))
      await server.faults.add({
        match: { verb: choose(random, verbs), resource: 'configmaps' },
        effect: choose(random, effects),
        times: integer(random, 1, 3),
      })
    const name = choose(random, primaries)
    if (chance(random, 0.6)) await said(person.patch(games, at(name), { spec: { title: wants(name) } }))
    if (chance(random, 0.2)) {
      await stop()
      stop = start()
    }
  }
  await server.faults.clear()
  // As long as a write waits at most, and a reconcile that fails.
  await simulation.advance(600_000)
  await stop()
  const { items } = await person.list(ours)
  received.abort()
  await person.close()
  const wanted = [...wantedBy.values()].flatMap(all => [...all])
  expect(items.map(({ metadata }) => metadata?.name).sort()).toEqual([...wanted, 'foreign', 'free'].sort())
  expect(lost).toEqual([])
}

function partsOf(title = ''): readonly string[] {
  return title.split(' ').filter(part => part !== '')
}
