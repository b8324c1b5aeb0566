import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { withLock } from './lock.mjs'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lock-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

it('lets one in at a time, and says for which process the other waits', async () => {
  const path = join(folder, 'lock')
  const log: string[] = []
  const work = (name: string) => async (): Promise<void> => {
    log.push(`${name} in`)
    await new Promise(resolve => setImmediate(resolve))
    log.push(`${name} out`)
  }
  const waiting = (holder: number): void => void log.push(holder === process.pid ? 'waits' : 'waits for another')
  const first = withLock(path, waiting, work('first'))
  const second = withLock(path, waiting, work('second'))
  await Promise.all([first, second])
  expect(log).toEqual(['first in', 'waits', 'first out', 'second in', 'second out'])
  expect(existsSync(path)).toBe(false)
})

const notWaiting = (): void => {}
const entered = (path: string): Promise<string> => withLock(path, notWaiting, async () => 'in')

it('takes the lock of a process that died', async () => {
  const path = join(folder, 'lock')
  mkdirSync(path)
  writeFileSync(join(path, 'pid'), '999999999')
  expect(await entered(path)).toBe('in')
})

it('takes a lock if its holder died before it could write its name', async () => {
  const path = join(folder, 'lock')
  mkdirSync(path)
  expect(await entered(path)).toBe('in')
})

it('lets go when the work fails', async () => {
  const path = join(folder, 'lock')
  const failing = withLock(path, notWaiting, () => Promise.reject(new Error('no')))
  await expect(failing).rejects.toThrow('no')
  expect(existsSync(path)).toBe(false)
})
