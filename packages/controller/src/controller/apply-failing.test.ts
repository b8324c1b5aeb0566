import { type Client, sleep } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { inArcade } from '../operator/testkit/arcade.ts'
import { game, games, ours } from '../operator/testkit/games.ts'
import type { Read } from '../reads/read.ts'
import { applyDesired } from './apply.ts'
import { applyTitle } from './testkit/titles.ts'
import { unnoted } from './testkit/unnoted.ts'

const at = (name: string) => ({ name, namespace: 'default' })
const labels = { 'app.kubernetes.io/managed-by': 'game' }

it.each([
  [409, 'Conflict', false],
  [401, 'Unauthorized', true],
  [408, 'Timeout', true],
  [429, 'TooManyRequests', true],
  [503, 'ServiceUnavailable', true],
])('X8: what is answered with %i %s is not sent at each change of the object', (code, reason, isCompared) =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    await client.create(configMaps, { metadata: { ...at('made'), labels }, data: { title: 'a' } })
    const effect = { kind: 'status', code, reason } as const
    await server.faults.add({ match: { verb: 'update', resource: 'configmaps' }, effect })
    applyTitle(operator, { owner: false })
    await client.create(games, game('chess'))
    await server.resetStats()
    run()
    for (let i = 0; i < 600; i++) {
      const change = isCompared ? { data: { title: `${i}` } } : { metadata: { annotations: { beat: `${i}` } } }
      await client.patch(configMaps, at('made'), change)
      await sleep(simulation.clock, 100)
    }
    const { byVerb } = await server.stats()
    expect([byVerb.update?.configmaps?.requests, simulation.environment.errors.length]).toEqual([
      expect.toSatisfy(n => n < 100),
      expect.toSatisfy(n => n < 60),
    ])
  }),
)

it('X8: of an object that can not be hashed it is told with backoff, and each time once, however often it changes', () =>
  inArcade(async ({ client, operator, run, simulation }) => {
    await client.create(configMaps, { metadata: { ...at('source'), labels: { source: 'yes' } } })
    await client.create(games.exact(), {
      ...game('made'),
      spec: { secret: 'x', title: 'a', lives: 2n ** 60n },
    } as never)
    let runs = 0
    operator
      .controller('source')
      .for(configMaps.within({ labels: { source: 'yes' } }))
      .reconcile(async ({ apply }) => {
        runs += 1
        const spec = { title: 'Ours', secret: 'x', lives: 3 }
        await apply(games, { metadata: { name: 'made' }, spec }, { owner: false })
      })
    run()
    for (let i = 0; i < 600; i++) {
      await client.status.patch(games, at('made'), { status: { phase: `${i}` } })
      await sleep(simulation.clock, 100)
    }
    expect([runs, simulation.environment.errors.length]).toEqual([
      expect.toSatisfy(n => n < 60),
      expect.toSatisfy(n => n <= runs),
    ])
  }))

it('C16: an object that can not be hashed is made as desired when it can, though the reconcile caught that', () =>
  inArcade(async ({ client, operator, run, simulation }) => {
    await client.create(configMaps, { metadata: { ...at('source'), labels: { source: 'yes' } } })
    await client.create(games.exact(), {
      ...game('made'),
      spec: { secret: 'x', title: 'a', lives: 2n ** 60n },
    } as never)
    const seen: string[] = []
    operator
      .controller('source')
      .for(configMaps.within({ labels: { source: 'yes' } }))
      .reconcile(async ({ apply }) => {
        const spec = { title: 'Ours', secret: 'x', lives: 3 }
        seen.push(
          await apply(games, { metadata: { name: 'made' }, spec }, { owner: false }).then(
            ({ reason }) => reason,
            error => error.name,
          ),
        )
      })
    run()
    await simulation.advance(5000)
    const before = simulation.environment.errors.map(({ error, context }) => [error.message, context?.phase])
    await client.patch(games, at('made'), { spec: { lives: 4 } })
    await simulation.advance(5000)
    expect([seen, before]).toEqual([['InexactIntegerError', 'differs', 'equal'], []])
  }))

describe('where somebody else is quicker than each look at what was written', () => {
  /** Applies to an object that is changed again before that is looked at. */
  async function race(client: Client, more: Partial<typeof unnoted.repairs>): Promise<unknown> {
    await client.create(configMaps, { metadata: at('made'), data: { title: 'a' } })
    let looks = 0
    const read = {
      peek: () => client.get(configMaps, at('made')),
      get: async (_: unknown, __: unknown, { select }: { select(object: object): unknown }) => {
        looks += 1
        return select(await client.patch(configMaps, at('made'), { data: { title: `theirs ${looks}` } }))
      },
    }
    const about = {
      ...unnoted,
      client,
      primary: games,
      owner: { metadata: { ...at('chess'), uid: 'u' } },
      signal: new AbortController().signal,
      read: read as unknown as Read,
      repairs: { ...unnoted.repairs, ...more },
    }
    const desired = { metadata: at('made'), data: { title: 'x' } }
    return applyDesired(about, configMaps, desired, { owner: false }).catch((error: unknown) => error)
  }

  it('C16: an apply that gives up has its key run again, whatever the reconcile makes of that', () =>
    inArcade(async ({ client }) => {
      const again: string[] = []
      const error = await race(client, { again: key => again.push(key) })
      expect([error, again]).toEqual([expect.objectContaining({ name: 'ChangedMeanwhileError' }), ['default/chess']])
    }))

  it('an apply that is put off then tells what it wrote before', () =>
    inArcade(async ({ client }) => {
      const waits = [undefined, { delayMs: 1000, refusal: undefined, isPassing: true, by: 'others' as const }]
      const applied = race(client, { hold: () => waits.shift() })
      expect(await applied).toMatchObject({ reason: 'differs', writes: ['update'], remaining: ['spec'] })
    }))
})

it('C16: an apply that gives up on what the view hid, and that is gone by now, has its key run again', () =>
  inArcade(async ({ client }) => {
    let peeks = 0
    const read = {
      peek: async () => {
        peeks += 1
        await client.create(configMaps, { metadata: at('made') })
        return undefined
      },
      get: async (view: typeof configMaps) => {
        // Gone again by the time of the look.
        if (view.labels.text === '') await client.delete(configMaps, at('made'))
        return undefined
      },
    }
    const again: string[] = []
    const about = {
      ...unnoted,
      client,
      primary: games,
      owner: { metadata: { ...at('chess'), uid: 'u' } },
      signal: new AbortController().signal,
      read: read as unknown as Read,
      repairs: { ...unnoted.repairs, again: (key: string) => again.push(key) },
    }
    const error = await applyDesired(about, ours, { metadata: { name: 'made' } }, { owner: false }).catch(
      (error: unknown) => error,
    )
    expect([(error as { reason?: string }).reason, peeks, again]).toEqual(['AlreadyExists', 3, ['default/chess']])
  }))
