import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as after } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { keepBusy } from './busy.ts'

/** The processor time of a process so far, in ticks of the system. */
function ticks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return Number(fields[11]) + Number(fields[12])
}

it.runIf(process.platform === 'linux')('keeps processes busy until they are ended', async () => {
  const busy = keepBusy(2)
  const pids = busy.processes.map(({ pid }) => pid as number)
  // Each uses processor time, again and again, without being asked for anything.
  for (const pid of pids) {
    const before = ticks(pid)
    await vi.waitFor(() => expect(ticks(pid)).toBeGreaterThan(before + 10))
  }
  const ended = busy.processes.map(one => once(one, 'exit'))
  busy.end()
  busy.end()
  await Promise.all(ended)
})

it('ends them when the process that wanted them is gone', async () => {
  const busy = keepBusy(1)
  const ended = once(busy.processes[0] as NodeJS.EventEmitter, 'exit')
  // What the system does with the pipe of a parent that was killed.
  busy.processes[0]?.stdin?.end()
  await Promise.race([ended, after(60_000, undefined, { ref: false }).then(() => expect.fail('it goes on'))])
})
