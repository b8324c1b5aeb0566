import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Program } from './program.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wherry-program-'))
})

afterEach(() => rm(folder, { recursive: true }))

/** A program that fails with large errors, and then never yields. It would stop at SIGTERM if it did. */
const loops = `
import { channel } from 'node:diagnostics_channel'
process.on('SIGTERM', () => process.exit(0))
const looked = Promise.withResolvers()
const run = { controller: 'game', key: 'a', cause: undefined, outcome: 'failed', startedAt: 1, tookMs: 2 }
channel('wherry.operator.start').publish({
  name: 'loops',
  state() {
    looked.resolve()
    return { controllers: [{ name: 'game', views: [], pending: [], obstacle: 'x'.repeat(500_000) }], views: [] }
  },
  explain: () => 'idle',
  async *runs() {
    for (let at = 0; at < 300; at += 1) yield { ...run, error: new Error('x'.repeat(500_000)) }
    await looked.promise
    // All messages before it are sent then.
    await new Promise(sent => process.send('last', sent))
    console.error('x'.repeat(500_000))
    console.log('it loops')
    for (;;);
  },
})
setInterval(() => {}, 1000)
`

it('a program that never yields keeps a hundred questions and no more, and is killed if it does not stop', async () => {
  await writeFile(join(folder, 'main.mjs'), loops)
  const looping = Promise.withResolvers<void>()
  let said = ''
  const write = (text: string): void => {
    said += text
    if (said.includes('it loops')) looping.resolve()
  }
  const sizes: number[] = []
  const program = new Program({
    ...{ file: 'main.mjs', cwd: folder, env: process.env, stdout: { write }, stderr: { write }, stopMs: 1 },
    received: message => void sizes.push(JSON.stringify(message).length),
    ended: how => looping.reject(new Error(how)),
  })
  try {
    program.start()
    await looping.promise
    expect(sizes.length).toBeGreaterThan(300)
    expect(Math.max(...sizes)).toBeLessThan(2000)
    const answers: string[] = []
    const asked = Array.from({ length: 10_000 }, (_, at) =>
      program.explain('game', `${at}`).then(text => void answers.push(text)),
    )
    await Promise.resolve()
    expect(answers).toEqual(Array.from({ length: 9900 }, () => 'the operator does not answer'))
    await program.close()
    await Promise.all(asked)
    expect(answers.slice(9900)).toEqual(Array.from({ length: 100 }, () => 'the operator has ended'))
    expect(said).toContain('wherry dev: main.mjs did not stop within 0.001 s, and is killed')
  } finally {
    await program.close()
  }
})

/** A program that ends each process that is started while it runs. */
const alone = `
import { channel } from 'node:diagnostics_channel'
import { writeFileSync } from 'node:fs'
writeFileSync('runs', '')
console.log('it runs')
channel('wherry.operator.start').publish({
  name: 'alone',
  state: () => ({ controllers: [], views: [] }),
  explain: () => 'idle',
  async *runs() {},
})
setInterval(() => {}, 1000)
`

const endsWhileItRuns = `
import { existsSync, writeFileSync } from 'node:fs'
if (existsSync('runs')) {
  writeFileSync('ended', '')
  process.exit(3)
}`

it('starts a program again if the process that was prepared for it has ended', async () => {
  await writeFile(join(folder, 'main.mjs'), alone)
  await writeFile(join(folder, 'first.mjs'), endsWhileItRuns)
  let said = ''
  const write = (text: string): void => {
    said += text
  }
  const program = new Program({
    ...{ file: 'main.mjs', cwd: folder, stdout: { write }, stderr: { write } },
    env: { ...process.env, NODE_OPTIONS: '--import ./first.mjs' },
    received: () => {},
    ended: () => {},
  })
  try {
    program.start()
    await vi.waitFor(() => expect(existsSync(join(folder, 'ended'))).toBe(true), 20_000)
    await program.stop()
    await rm(join(folder, 'runs'))
    program.start()
    await vi.waitFor(() => expect(said).toBe('it runs\nit runs\n'), 20_000)
  } finally {
    await program.close()
  }
}, 60_000)
