import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { command } from './command.ts'

it('gives the output of both streams and the exit code', async () => {
  const script = 'console.log("out"); console.error("err"); process.exitCode = 3'
  const ended = await command(process.execPath, ['-e', script])
  expect(ended.code).toBe(3)
  expect(ended.output.split('\n').sort()).toEqual(['', 'err', 'out'])
})

it('does not reject for a command that is not there', async () => {
  expect(await command('/no/such/command', [])).toMatchObject({ code: 127, timedOut: false })
})

it('ends a command that overruns, with what it started', async () => {
  const grandchild =
    "require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })"
  const ended = await command(process.execPath, ['-e', `${grandchild}; setInterval(() => {}, 1000)`], { limitMs: 500 })
  expect(ended).toMatchObject({ code: undefined, timedOut: true })
  expect(ended.output).toContain('Stopped: it took longer than 0.5 s.')
})

it('asks a command to end by itself, and lets it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'command-'))
  const ready = join(folder, 'ready')
  const script = `const child = require('child_process').spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' })
    process.on('SIGTERM', () => { console.log(child.pid); process.exit(3) })
    require('fs').writeFileSync(${JSON.stringify(ready)}, ''); setInterval(() => {}, 1000)`
  const close = new AbortController()
  const ending = command(process.execPath, ['-e', script], { close: close.signal })
  await vi.waitFor(() => expect(existsSync(ready)).toBe(true), 30_000)
  close.abort()
  const { code, timedOut, output } = await ending
  expect([code, timedOut]).toEqual([3, false])
  // With all that it started.
  await vi.waitFor(() => expect(() => process.kill(Number(output), 0)).toThrow('ESRCH'), 30_000)
  rmSync(folder, { recursive: true })
})
