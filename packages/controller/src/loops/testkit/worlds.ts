import type { Client } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { chance, choose, integer, type Random } from '@wherry/testing'
import type { ReconcileContext } from '../../controller/context.ts'
import type { Arcade } from '../../operator/testkit/arcade.ts'
import { at, type Game, games } from '../../operator/testkit/games.ts'
import { setLives } from './looping.ts'

type Context = ReconcileContext<Game, 'namespaced'>

/** A random operator, and whether it loops. */
export interface World {
  readonly name: string
  /** The key that loops, and its controller; `undefined`: none does. */
  readonly looping:
    | { readonly controller: string; readonly key: string; readonly kind: string; readonly path: string }
    | undefined
  /** What goes on for as long as the test lasts, one step after the other, and how long each step takes, in milliseconds. */
  readonly others: readonly { readonly everyMs: number; step(): Promise<unknown> }[]
  /** The loop ends. */
  mend(): void
}

const board = at('board')

/** @param tempo how long a run takes, in milliseconds */
type Make = (arcade: Arcade, random: Random, tempo: number) => Omit<World, 'name'>

const chess = { controller: 'game', key: 'default/chess' } as const

/** A controller that writes something new in each run until it is mended. */
function writing(
  { forGames, operator }: Arcade,
  tempo: number,
  write: (context: Context, run: number) => Promise<unknown>,
  isFannedOut = false,
): () => void {
  let isWrong = true
  let run = 0
  const reconcile = async (context: Context): Promise<void> => {
    await context.read.get(configMaps, board)
    await context.sleep(tempo)
    if (isWrong) await write(context, run++)
  }
  if (isFannedOut) {
    const all = [at('chess'), at('go')]
    operator
      .controller('game')
      .for(games)
      .watches(games, () => all)
      .reconcile(reconcile)
  } else forGames().reconcile(reconcile)
  return () => {
    isWrong = false
  }
}

const isChess = ({ key }: Context): boolean => key.name === 'chess'

/** Operators that loop. */
export const loops: Readonly<Record<string, Make>> = {
  'a counter of its own': (arcade, _, tempo) => {
    const mend = writing(arcade, tempo, async context => {
      if (isChess(context)) await setLives(context.client, 'chess', (context.object.spec.lives ?? 0) + 1)
    })
    return { looping: { ...chess, kind: 'own_write', path: 'spec.lives' }, others: [], mend }
  },
  'a time of its own': (arcade, _, tempo) => {
    const mend = writing(arcade, tempo, async context => {
      if (!isChess(context)) return
      await context.client.status.patch(games, at('chess'), {
        status: { phase: `${arcade.simulation.clock.monotonic()}` },
      })
    })
    return { looping: { ...chess, kind: 'own_write', path: 'status.phase' }, others: [], mend }
  },
  'an update of what it reads': (arcade, _, tempo) => {
    const mend = writing(arcade, tempo, async (context, run) => {
      if (isChess(context)) await context.client.patch(configMaps, board, { data: { run: `${run}` } })
    })
    return { looping: { ...chess, kind: 'own_write', path: 'data.run' }, others: [], mend }
  },
  'keys that run for each other': (arcade, _, tempo) => {
    const mend = writing(
      arcade,
      tempo,
      ({ client, key, object }) => setLives(client, key.name, (object.spec.lives ?? 0) + 1),
      true,
    )
    return { looping: { ...chess, kind: 'other_keys', path: 'spec.lives' }, others: [], mend }
  },
  'two controllers': (arcade, _, tempo) => {
    let isWrong = true
    for (const [name, field] of [
      ['game', 'lives'],
      ['title', 'title'],
    ] as const) {
      arcade.forGames(name).reconcile(async ({ object, client, key, sleep }) => {
        await sleep(tempo)
        if (!isWrong || key.name !== 'chess') return
        const { lives = 0, title } = object.spec
        const next = Math.max(lives, Number(title) || 0) + 1
        await client.patch(games, at('chess'), { spec: { [field]: field === 'lives' ? next : `${next}` } })
      })
    }
    const mend = (): void => {
      isWrong = false
    }
    return { looping: { ...chess, kind: 'other_keys', path: 'spec.lives' }, others: [], mend }
  },
  'another client that changes it back': (arcade, random) => {
    let isWrong = true
    const { client } = arcade
    const isForced = chance(random, 0.5)
    arcade.forGames().reconcile(async ({ client: own, read, key }) => {
      const found = await read.get(configMaps, board)
      if (key.name !== 'chess' || found?.data?.title === 'ours') return
      const patch = { data: { title: 'ours' } }
      if (isForced) await own.apply(configMaps, { metadata: board, ...patch }, { force: true })
      else await own.patch(configMaps, board, patch)
    })
    const step = async (): Promise<unknown> =>
      isWrong && client.patch(configMaps, board, { data: { title: 'theirs' } }, { fieldManager: 'them' })
    const mend = (): void => {
      isWrong = false
    }
    const others = [{ everyMs: integer(random, 100, 2200), step }]
    return { looping: { ...chess, kind: 'field_fight', path: 'data.title' }, others, mend }
  },
  'a timer': arcade => {
    let isWrong = true
    arcade
      .forGames()
      .reconcile(async ({ key }) => (isWrong && key.name === 'chess' ? { requeueAfterMs: 0 } : undefined))
    const mend = (): void => {
      isWrong = false
    }
    return { looping: { ...chess, kind: 'timer', path: '' }, others: [], mend }
  },
}

const nothing = { looping: undefined, mend() {} }

/** Makes objects that a controller caches, as a rollout does. */
function rollout(client: Client, random: Random): World['others'] {
  let made = 0
  const step = async (): Promise<unknown> => {
    made += 1
    if (made % 3 === 0) await client.patch(configMaps, at(`pod-${made - 1}`), { data: { phase: 'Running' } })
    return client.create(configMaps, { metadata: at(`pod-${made}`), data: { phase: 'Pending' } })
  }
  return [{ everyMs: choose(random, [20, 70, 300, 1000]), step }]
}

/** Operators that work, and do not loop. */
export const works: Readonly<Record<string, Make>> = {
  'a rollout that is counted': (arcade, random, tempo) => {
    arcade
      .forGames()
      .caches(configMaps)
      .reconcile(async ({ client, read, key, sleep }) => {
        const all = await read.list(configMaps)
        await sleep(Math.min(tempo, 300))
        await setLives(client, key.name, all.filter(({ data }) => data?.phase === 'Running').length)
      })
    return { ...nothing, others: rollout(arcade.client, random) }
  },
  'a rollout in steps': (arcade, random, tempo) => {
    const steps = integer(random, 2, 4)
    arcade
      .forGames()
      .caches(configMaps)
      .reconcile(async ({ client, object, read, key, sleep }) => {
        const all = await read.list(configMaps)
        await sleep(Math.min(tempo, 300))
        const { lives = 0 } = object.spec
        if (lives < all.length * steps)
          await setLives(client, key.name, Math.floor(lives / steps) === all.length ? lives : lives + 1)
      })
    const [{ step } = { step: async () => {} }] = rollout(arcade.client, random)
    return { ...nothing, others: [{ everyMs: integer(random, 500, 4000), step }] }
  },
  'applies of what changes': (arcade, random, tempo) => {
    arcade
      .forGames()
      .owns(configMaps)
      .caches(configMaps)
      .reconcile(async ({ apply, read, status, key, sleep }) => {
        const all = await read.list(configMaps)
        await sleep(Math.min(tempo, 300))
        await apply(configMaps, { metadata: { name: `of-${key.name}` }, data: { pods: `${all.length}` } })
        await status({ phase: `${all.length}` })
      })
    return { ...nothing, others: rollout(arcade.client, random) }
  },
  'one controller that sums up what another writes': (arcade, random, tempo) => {
    const { forGames, operator, client } = arcade
    forGames('parts').reconcile(async ({ client: own, object, key, sleep }) => {
      await sleep(Math.min(tempo, 200))
      if (object.status?.phase === object.spec.title) return
      await own.status.patch(games, at(key.name), { status: { phase: object.spec.title ?? '' } })
    })
    operator
      .controller('sum')
      .for(configMaps.within({ labels: { sum: 'yes' } }))
      .watches(games, () => [at('sum')])
      .caches(games)
      .reconcile(async ({ client: own, read }) => {
        const phases = (await read.list(games)).map(({ status }) => status?.phase).join()
        await own.patch(configMaps, at('sum'), { data: { phases } })
      })
    let made = 0
    const step = async (): Promise<unknown> => {
      if (made === 0) await client.create(configMaps, { metadata: { ...at('sum'), labels: { sum: 'yes' } } })
      const name = choose(random, ['chess', 'go'])
      return client.patch(games, at(name), { spec: { title: `${made++}` } })
    }
    return { ...nothing, others: [{ everyMs: choose(random, [50, 400, 1500]), step }] }
  },
  'failures, and a heartbeat': (arcade, random, tempo) => {
    arcade.forGames().reconcile(async ({ client, object, status, sleep, key }) => {
      await sleep(Math.min(tempo, 100))
      if (chance(random, 0.3)) throw new Error('it failed')
      await status({ phase: 'Up' }, { times: 'write' })
      if (chance(random, 0.1)) await setLives(client, key.name, (object.spec.lives ?? 0) + 1)
      return { requeueAfterMs: 500 }
    })
    return { ...nothing, others: [] }
  },
}

/** What else may happen at the same time. @param quietMs how long nothing happens at least */
export function noise({ client, server }: Arcade, random: Random, quietMs: number): World['others'] {
  let edit = 0
  const edits = { everyMs: quietMs, step: () => client.patch(configMaps, board, { data: { note: `${edit++}` } }) }
  const ends = { everyMs: quietMs + 3000, step: async () => void (await server.endWatches()) }
  return [...(chance(random, 0.4) ? [edits] : []), ...(chance(random, 0.4) ? [ends] : [])]
}
