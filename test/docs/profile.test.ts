import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedApiServer, startApiServer } from '@wherry/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { root } from '../../tools/workspace.ts'

const page = readFileSync(join(root, 'docs/profile.md'), 'utf8')
const hook = join(root, 'test/examples/from-source.ts')
const program = join(root, 'examples/small/watcher.ts')

let folder: string
let server: EmbeddedApiServer
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'wherry-profile-'))
  server = await startApiServer()
  await server.writeKubeconfig(join(folder, 'kubeconfig'))
})
afterEach(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

/** The options of the command on the page that has this one, without the program. */
function optionsOnPage(option: string): string[] {
  const command = page.split('\n').find(line => line.startsWith('node ') && line.includes(option))
  return (command ?? '').split(' ').slice(1, -1)
}

/** The options of Node in the command of the container on the page. The folder is one of the test. */
function containerOptionsOnPage(): string[] {
  return Array.from(page.matchAll(/^ +- (--.*)$/gm), ([, option = '']) => option.replaceAll('/profiles', 'profiles'))
}

/** Runs a program that watches, and resolves when it does. */
async function started(options: readonly string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, [...options, '--import', hook, program], {
    cwd: folder,
    env: { ...process.env, KUBECONFIG: join(folder, 'kubeconfig') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  await new Promise<void>((resolve, reject) => {
    child.stdout?.once('data', () => resolve())
    child.stderr?.on('data', text => {
      said += text
    })
    child.once('close', () => reject(new Error(`the program has ended: ${said}`)))
  })
  return child
}

async function end(child: ChildProcess): Promise<number | null> {
  const closed = once(child, 'close')
  child.kill('SIGINT')
  return (await closed)[0]
}

/** The content of the file with a name that ends so, if it is whole. */
function profile(ending: string): object | undefined {
  const name = readdirSync(join(folder, 'profiles')).find(one => one.endsWith(ending))
  try {
    return name === undefined ? undefined : JSON.parse(readFileSync(join(folder, 'profiles', name), 'utf8'))
  } catch {
    return undefined
  }
}

/** Sends the signal, and resolves with the snapshot when it is whole. */
async function snapshotOf(child: ChildProcess): Promise<object> {
  const changes = watch(join(folder, 'profiles'))
  child.kill('SIGUSR2')
  try {
    for (;;) {
      await once(changes, 'change')
      const found = profile('.heapsnapshot')
      if (found !== undefined) return found
    }
  } finally {
    changes.close()
  }
}

it.each([
  ['--cpu-prof', '.cpuprofile', 'nodes'],
  ['--heap-prof', '.heapprofile', 'head'],
])('the command with %s writes a profile when the program ends', async (option, ending, part) => {
  const child = await started(optionsOnPage(option))
  await end(child)
  expect(profile(ending)).toHaveProperty(part)
})

it('the command with --heapsnapshot-signal writes a snapshot for each signal, and the program goes on', async () => {
  mkdirSync(join(folder, 'profiles'))
  const child = await started(optionsOnPage('--heapsnapshot-signal'))
  expect(await snapshotOf(child)).toHaveProperty('snapshot')
  expect(child.exitCode).toBeNull()
  await end(child)
})

it('the command of the container does both', async () => {
  mkdirSync(join(folder, 'profiles'))
  const child = await started(containerOptionsOnPage())
  expect(await snapshotOf(child)).toHaveProperty('snapshot')
  await end(child)
  expect(profile('.cpuprofile')).toHaveProperty('nodes')
})

it('a signal ends the program if the folder is not there, as the page says', async () => {
  const child = await started(optionsOnPage('--heapsnapshot-signal'))
  const closed = once(child, 'close')
  child.kill('SIGUSR2')
  expect(await closed).toEqual([1, null])
})
