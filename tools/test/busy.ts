import { type ChildProcess, spawn } from 'node:child_process'

/** Other work on this machine: processes that each keep one core busy until they are ended. */
export interface Busy {
  readonly processes: readonly ChildProcess[]
  /** Ends them all. Safe to call twice. */
  end(): void
}

/**
 * A loop that looks after each millisecond or so whether its parent is still there, so that it ends with a run that was
 * killed: its standard input ends then.
 */
const loop = `process.stdin.resume().on('end', () => process.exit())
const work = () => { for (const end = Date.now() + 1; Date.now() < end;); setImmediate(work) }
work()`

/**
 * Starts `count` processes that never rest, at the priority of this one: what a machine is like that has other work. Tests
 * that pass only on a quiet machine fail meanwhile.
 */
export function keepBusy(count: number): Busy {
  const processes = Array.from({ length: count }, () =>
    spawn(process.execPath, ['-e', loop], { stdio: ['pipe', 'ignore', 'ignore'] }),
  )
  return {
    processes,
    end: () => {
      for (const one of processes) one.kill('SIGKILL')
    },
  }
}
