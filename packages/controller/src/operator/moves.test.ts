import { configMaps } from '@wherry/client/resources/core'
import { WatchManager } from '@wherry/watch-manager'
import { describe, expect, it } from 'vitest'
import type { ReconcileContext } from '../controller/context.ts'
import type { Source } from '../sources/source.ts'
import { type Arcade, inArcade } from './testkit/arcade.ts'
import { at, type Game, games } from './testkit/games.ts'

const from = configMaps
const to = configMaps.within({ namespaces: ['default'] })

type Reconcile = (context: ReconcileContext<Game, 'namespaced'>) => unknown

interface Moving extends Arcade {
  /** Has a reconcile do something now. */
  reconciles(work: Reconcile): Promise<void>
  /** Whether the server does not know the resource of ConfigMaps, as a source asks. */
  isAbsent(): Promise<boolean>
}

/** A controller that is running, and watches of ConfigMaps that are slow to begin once `begin` has made its informer. */
function moving<T>(
  begin: (arcade: Arcade) => Promise<T>,
  test: (moving: Moving, begun: T) => Promise<void>,
): Promise<void> {
  return inArcade(async arcade => {
    const { client, server, forGames, start } = arcade
    let work: Reconcile = () => {}
    let done = (): void => {}
    let title = 'go'
    let isAbsent = async (): Promise<boolean> => true
    const asking: Source<never> = {
      name: 'asking',
      connect: target => {
        isAbsent = () => target.isAbsent(to)
        return { synced: async () => {}, close: async () => {} }
      },
    }
    forGames()
      .from(asking, () => [])
      .reconcile(async context => {
        await work(context)
        done()
      })
    for (const name of ['legacy', 'there']) await client.create(configMaps, { metadata: at(name) })
    await start('chess')
    const begun = await begin(arcade)
    const effect = { kind: 'slow', bytesPerSecond: 1000 } as const
    await server.faults.add({ match: { verb: 'watch', resource: 'configmaps' }, effect })
    await test(
      {
        ...arcade,
        isAbsent: () => isAbsent(),
        reconciles: async next => {
          work = next
          title += '!'
          const over = new Promise<void>(resolve => {
            done = resolve
          })
          await client.patch(games, at('chess'), { spec: { title } })
          await over
        },
      },
      begun,
    )
  })
}

type Look = (moving: Moving) => Promise<unknown>

const looks: readonly [string, Look][] = [
  ['a delete in a reconcile', ({ reconciles }) => reconciles(({ client }) => client.delete(configMaps, at('legacy')))],
  ['a source that asks whether its view is absent', ({ isAbsent }) => isAbsent()],
]

describe('while an informer moves', () => {
  const cached = async ({ operator }: Arcade): Promise<void> => {
    operator.cache.informer(from)
    await operator.cache.synced()
  }
  it.each<[string, Look]>([
    ...looks,
    [
      'a peek in a reconcile of what was written',
      ({ reconciles }) => reconciles(({ read }) => read.getUntracked(from, { name: 'there' })),
    ],
  ])('D9: %s does not call off that the program moves it', (_, look) =>
    moving(cached, async kit => {
      const { operator, simulation, reconciles } = kit
      await reconciles(({ client }) => client.patch(configMaps, at('there'), { data: { n: '1' } }))
      await simulation.advance(5000)
      const moved = operator.cache.rescope(from, to).then(
        () => 'moved',
        error => error,
      )
      await look(kit)
      expect(operator.cache.covering(to)?.key).toBe(from.key)
      await simulation.advance(60_000)
      expect(await moved).toBe('moved')
    }),
  )

  it.each<[string, Look]>([...looks, ['what waits until all has settled', ({ operator }) => operator.settled()]])(
    'D9, W4: %s does not call off that a registrar has it moved',
    (_, look) => {
      const received: string[] = []
      const registered = async ({ operator }: Arcade) => {
        const registrar = operator.manager(WatchManager).registrar('mine', {
          event: event => {
            received.push(event.type)
          },
          rescoped: () => {
            received.push('rescoped')
          },
        })
        await registrar.add(from)
        await registrar.synced()
        return registrar
      }
      return moving(registered, async (kit, registrar) => {
        const { simulation } = kit
        await simulation.advance(1000)
        received.length = 0
        const replaced = registrar.replace([to])
        const looked = look(kit)
        await simulation.advance(120_000)
        await Promise.all([replaced, looked])
        // What stays is not replayed.
        expect(received.filter(type => type !== 'deleted')).toEqual(['rescoped'])
      })
    },
  )
})
