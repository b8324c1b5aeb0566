import type { Program } from '../../bench/harness/program.ts'

/** How long a program of others may take until it is ready. One that takes longer is killed. */
const PEER_MS = 300_000

/** What a program took in one run. */
export interface Taken {
  readonly rssBytes: number
  readonly peakBytes: number
  readonly readyMs: number
  /** The first reconcile; 0 for a program that is not compared by it. */
  readonly firstMs: number
  /** One GET of what it reads; 0 as above. */
  readonly getMs: number
  /** How a program of others ended before it was ready. The figures are then those until its end. */
  readonly failed?: string | undefined
}

/** Runs a program that was started. Rejects if a program of ours fails; the result says so for a program of others. */
export async function once(
  program: Program,
  { isPeer, isCompared, peerMs = PEER_MS }: { isPeer: boolean; isCompared: boolean; peerMs?: number },
): Promise<Taken> {
  try {
    return isPeer ? await bounded(program, peerMs) : await measured(program, isCompared)
  } finally {
    await program.close()
  }
}

async function measured(program: Program, isCompared: boolean): Promise<Taken> {
  const { ms: readyMs, peakBytes } = await program.says('ready')
  const { rssBytes } = await program.says('settled')
  const firstMs = isCompared ? await program.number('first_ms') : 0
  const getMs = isCompared ? await program.number('get_ms') : 0
  return { readyMs, peakBytes, rssBytes, firstMs, getMs }
}

/** Kills the program if it takes too long, and notes its memory on the way: of a program that has ended it can't be read. */
async function bounded(program: Program, peerMs: number): Promise<Taken> {
  let last = program.cost()
  let isLate = false
  const timer = setInterval(() => {
    try {
      last = program.cost()
    } catch {
      // It has ended: `says` rejects.
    }
    if (last.ms > peerMs && !isLate) {
      isLate = true
      void program.close()
    }
  }, 500)
  try {
    return await measured(program, false)
  } catch (error) {
    const { rssBytes, peakBytes, ms } = last
    const seconds = Math.round(ms / 1000)
    const failed = isLate
      ? `killed after ${seconds} s`
      : `ended after ${seconds} s: ${reasonIn((error as Error).message)}`
    return { rssBytes, peakBytes, readyMs: ms, firstMs: 0, getMs: 0, failed }
  } finally {
    clearInterval(timer)
  }
}

/** The line of a program's last words that names the error. */
function reasonIn(message: string): string {
  const lines = message.split('\n').map(line => line.trim())
  return (lines.find(line => /Error\b.*:|^(fatal|panic)/i.test(line)) ?? lines[0] ?? '').slice(0, 120)
}
