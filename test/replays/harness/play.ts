import { summarise } from '../../bench/harness/statistics.ts'
import type { Bar, MemoryReplay } from '../replay.ts'
import type { PlayOptions, Row } from './case.ts'
import { once, type Taken } from './measure.ts'
import { type Player, playersOf } from './players.ts'
import { ReplayServer } from './real-server.ts'

/** The medians of a program at one size. */
export interface MemoryRow extends Row, Taken {
  readonly program: string
  /** 0: an empty cluster. */
  readonly size: number
  /** The settled RSS above that of the same program in an empty cluster. */
  readonly aboveIdleBytes: number
  readonly runs: number
}

/** Plays a replay on a real API server, from the empty cluster to the greatest size, each program alone. */
export async function play(replay: MemoryReplay, options: PlayOptions): Promise<MemoryRow[]> {
  const { runs, part, say } = options
  const players = await playersOf(replay)
  const server = await ReplayServer.start(replay)
  const rows: MemoryRow[] = []
  try {
    let filled = 0
    for (const size of [0, ...replay.sizes.map(size => Math.round(size * part))]) {
      if (size > 0) {
        say(`${replay.id}: creating ${size - filled} objects`)
        if (filled === 0) await server.fill(replay.own)
        await server.fill(after(replay.objects(size), filled))
        filled = size
      }
      rows.push(...(await playAll(replay, players, server, { size, runs, say, rows })))
    }
  } finally {
    await server.close()
  }
  return rows
}

function* after<T>(all: Iterable<T>, count: number): Generator<T> {
  let index = 0
  for (const one of all) if (index++ >= count) yield one
}

/** Each program in turn, `runs` times: what else the machine does falls on all alike. */
async function playAll(
  replay: MemoryReplay,
  players: readonly Player[],
  server: ReplayServer,
  { size, runs, say, rows }: { size: number; runs: number; say: PlayOptions['say']; rows: readonly MemoryRow[] },
): Promise<MemoryRow[]> {
  const taken = new Map<Player, Taken[]>(players.map(player => [player, []]))
  for (let run = 1; run <= runs; run++) {
    for (const [player, all] of taken) {
      // A program that failed fails again, and takes minutes for it.
      if (all.at(-1)?.failed !== undefined) continue
      say(`${replay.id}: ${size} objects, run ${run} of ${runs}, ${player.name}`)
      const isCompared = player.comparesFirst && size > 0
      all.push(await once(player.start(server, size), { isPeer: player.isPeer, isCompared }))
    }
  }
  return [...taken].map(([{ name, bar }, all]): MemoryRow => {
    const median = (of: (one: Taken) => number): number => summarise(all.map(of)).median
    const figures: Taken = {
      rssBytes: median(one => one.rssBytes),
      peakBytes: median(one => one.peakBytes),
      readyMs: median(one => one.readyMs),
      firstMs: median(one => one.firstMs),
      getMs: median(one => one.getMs),
    }
    const idle = rows.find(({ program, size }) => program === name && size === 0) ?? figures
    const aboveIdleBytes = figures.rssBytes - idle.rssBytes
    const isMet = bar && size > 0 ? meets({ ...figures, aboveIdleBytes }, bar) : undefined
    const failed = all.find(one => one.failed !== undefined)
    const row = { replay: replay.id, program: name, size, ...figures, ...failed }
    return { ...row, aboveIdleBytes, runs: all.length, isMet }
  })
}

function meets(
  { aboveIdleBytes, peakBytes, rssBytes, firstMs, getMs }: Taken & Pick<MemoryRow, 'aboveIdleBytes'>,
  bar: Bar,
): boolean {
  const { peakTimes = Number.POSITIVE_INFINITY, firstTimesGet } = bar
  const isFast = firstTimesGet === undefined || firstMs <= firstTimesGet * getMs
  return aboveIdleBytes <= bar.aboveIdleBytes && peakBytes <= peakTimes * rssBytes && isFast
}
