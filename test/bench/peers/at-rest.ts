import { setTimeout as after } from 'node:timers/promises'
import type { ControlledApiServer } from '@wherry/testing'
import type { Example } from './scenes.ts'
import { type ProgramOptions, withProgram } from './with-program.ts'

/** What a program holds, in megabytes, and how many requests it sends in an hour. */
export interface AtRest {
  readonly rss: number
  readonly heap: number
  readonly requests: number
}

/** How long requests are counted. */
const countMs = 30_000
const quietMs = 5_000
/** What a program that never rests gets before it is measured. */
const restlessMs = 30_000

export interface AtRestOptions extends Omit<ProgramOptions, 'objects' | 'play'> {
  /** Whether the program goes on writing though nothing changes: it is measured as it is then. */
  readonly neverRests: boolean
}

/** Runs a program with the example's objects until it sends no more, and looks at it. With Node's defaults requests are not counted. */
export async function atRest(example: Example, { neverRests, ...options }: AtRestOptions): Promise<AtRest> {
  const { play } = example
  return await withProgram({ ...options, play, objects: example.objects() }, async ({ server, memory }) => {
    await (neverRests ? after(restlessMs) : untilQuiet(server))
    const before = await sent(server)
    if (!options.nodeDefaults) await after(countMs)
    const requests = ((await sent(server)) - before) * (3_600_000 / countMs)
    const { rss, heapUsed } = await memory()
    return { rss: rss / 1e6, heap: heapUsed / 1e6, requests }
  })
}

async function sent(server: ControlledApiServer): Promise<number> {
  return (await server.stats()).total.requests
}

async function untilQuiet(server: ControlledApiServer): Promise<void> {
  const first = await sent(server)
  let [last, since] = [first, performance.now()]
  const until = since + 300_000
  while (last === first || performance.now() - since < quietMs) {
    if (performance.now() > until) throw new Error('the program does not come to rest within five minutes')
    await after(250)
    const now = await sent(server)
    if (now !== last) [last, since] = [now, performance.now()]
  }
}
