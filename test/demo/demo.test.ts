import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { namespaces } from '@wherry/client/resources/core'
import { startApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { modes } from '../../tools/demo/game/mode.ts'

const main = join(import.meta.dirname, '../../tools/demo/main.ts')
const hook = new URL('../examples/from-source.ts', import.meta.url).href
const waiting = { interval: 20 }

let folder: string
const children: ChildProcess[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wherry-demo-'))
  mkdirSync(join(folder, 'tmp'))
})

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

/** The demo in a process of its own, with a folder of its own for temporary files. */
function demo(...args: string[]) {
  const child = spawn(process.execPath, [main, ...args], {
    cwd: folder,
    // Whatever it starts reads the packages' sources too.
    env: { ...process.env, TMPDIR: join(folder, 'tmp'), NODE_OPTIONS: `--import=${hook}` },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  children.push(child)
  const said = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.err += text
  })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return { child, said, ended }
}

const hasReal = await realApiServerAvailable('the demo on a real API server')

describe('Ctrl-C', () => {
  const cases = [
    { moment: 'starting', server: 'embedded' },
    { moment: '1 of 6', server: 'embedded' },
    { moment: '2 of 6', server: 'embedded' },
    ...(hasReal ? [{ moment: '1 of 6', server: 'real' }] : []),
  ]
  it.each(cases)('leaves neither a process nor a folder, at "$moment" with a server that is $server', async one => {
    const args = ['--quick', '--objects', '3', '--size', '10']
    const { child, said, ended } = demo(...args, ...(one.server === 'real' ? [] : ['--embedded']))
    await vi.waitFor(() => expect(said.err).toContain(one.moment), waiting)
    const started = descendants(child.pid ?? 0)
    // As a terminal does: to all of them.
    process.kill(-(child.pid ?? 0), 'SIGINT')
    expect(await ended, said.err).toBe(130)
    expect(said.err).toMatch(/^demo: stopped by SIGINT$/m)
    await vi.waitFor(() => expect(started.filter(isAlive)).toEqual([]), waiting)
    expect(readdirSync(join(folder, 'tmp'))).toEqual([])
    expect(existsSync(join(folder, 'demo-report.html'))).toBe(false)
  })

  it('reaches what it has started, also if it alone gets the signal', async () => {
    const { child, said, ended } = demo('--embedded', '--quick', '--objects', '3', '--size', '10')
    await vi.waitFor(() => expect(said.err).toContain('1 of 6'), waiting)
    const started = descendants(child.pid ?? 0)
    child.kill('SIGTERM')
    expect(await ended, said.err).toBe(143)
    await vi.waitFor(() => expect(started.filter(isAlive)).toEqual([]), waiting)
  })
})

describe("on a cluster of one's own", () => {
  /** The demo plays on a server, which is there before and after: a real one if `kind` says so. */
  async function played(
    test: (at: { readonly client: Client } & ReturnType<typeof demo>) => Promise<void>,
    { kind = 'embedded', more = [] }: { readonly kind?: 'embedded' | 'real'; readonly more?: readonly string[] } = {},
  ): Promise<void> {
    const server = await (kind === 'real' ? sharedRealServer() : startApiServer())
    const { url, ca, token } = server
    const client = new Client({ url, ca, token })
    try {
      const kubeconfig = join(folder, 'kubeconfig')
      await server.writeKubeconfig(kubeconfig)
      const size = ['--quick', '--objects', '3', '--size', '10']
      await test({ client, ...demo('--kubeconfig', kubeconfig, '--yes', ...size, ...more) })
      expect(await leftOvers(client)).toEqual([])
    } finally {
      await client.close()
      await server.close()
    }
  }

  it('plays, every operator is right, and it leaves what it found', async () => {
    const test: Parameters<typeof played>[0] = async ({ said, ended }) => {
      expect(await ended, said.err).toBe(0)
      const figures = said.out
        .trim()
        .split('\n')
        .map(line => JSON.parse(line) as { bench: string; subject: string; metric: string; value: number })
      const rights = figures.filter(({ metric, value }) => metric === 'right' && value === 1)
      expect(rights.map(({ subject }) => subject)).toEqual(modes)
      const of = (subject: string, metric: string): number | undefined =>
        figures.find(one => one.subject === subject && one.metric === metric)?.value
      expect(of('objects', 'needed_bytes')).toBeGreaterThan(20_000)
      expect(of('narrow', 'unrelated_bytes')).toBeLessThan(10_000)
      expect(of('wherry-full', 'received_bytes')).toBeGreaterThan((of('narrow', 'received_bytes') ?? 0) + 30_000)
      expect(readFileSync(join(folder, 'demo-report.html'), 'utf8')).toContain('<h1>The memory game</h1>')
    }
    await played(test, { kind: hasReal ? 'real' : 'embedded', more: ['--json'] })
  })

  it('leaves what it found after Ctrl-C, too', async () => {
    await played(async ({ client, child, said, ended }) => {
      await vi.waitFor(() => expect(said.err).toContain('1 of 6'), waiting)
      expect(await leftOvers(client)).toHaveLength(2)
      child.kill('SIGINT')
      expect(await ended, said.err).toBe(130)
    })
  })

  it('asks first, and says in one line why it does not go on', async () => {
    const server = await startApiServer()
    const kubeconfig = join(folder, 'kubeconfig')
    try {
      await server.writeKubeconfig(kubeconfig)
      const unasked = demo('--kubeconfig', kubeconfig)
      expect(await unasked.ended).toBe(1)
      expect(unasked.said.err).toBe(
        `demo: would fill the cluster at ${server.url}: say --yes where nobody can be asked\n`,
      )
      await server.close()
      const unreachable = demo('--kubeconfig', kubeconfig, '--yes')
      expect(await unreachable.ended).toBe(1)
      expect(unreachable.said.err).toMatch(/^demo: .+\n$/)
      const missing = demo('--kubeconfig', join(folder, 'none'))
      expect(await missing.ended).toBe(1)
      expect(missing.said.err).toMatch(/^demo: .+\n$/)
    } finally {
      await server.close()
    }
  })
})

it('refuses what it does not know, in one line', async () => {
  for (const [args, line] of [
    [['--objects', 'many'], 'demo: --objects takes a whole number from 2 to 5000, not many\n'],
    [['--embedded', '--kubeconfig', 'x'], 'demo: --embedded and --kubeconfig exclude each other\n'],
  ] as const) {
    const { said, ended } = demo(...args)
    expect(await ended).toBe(1)
    expect(said.err).toBe(line)
  }
})

/** What it has made that is there, or not gone yet. */
async function leftOvers(client: Client): Promise<(string | undefined)[]> {
  const there = [...(await client.list(namespaces)).items, ...(await client.list(customResourceDefinitions)).items]
  const names = there.filter(({ metadata }) => metadata?.deletionTimestamp === undefined).map(one => one.metadata?.name)
  return names.filter(name => name?.startsWith('wherry-demo-') || name === 'games.arcade.example.com')
}

/** The processes that it has started, and those that these have, where /proc shows them. */
function descendants(pid: number): number[] {
  const parents = new Map<number, number[]>()
  for (const file of globSync('/proc/[0-9]*/stat')) {
    try {
      const [, one, parent] = /^(\d+) \(.*\) \S (\d+) /s.exec(readFileSync(file, 'utf8')) ?? []
      parents.set(Number(parent), [...(parents.get(Number(parent)) ?? []), Number(one)])
    } catch {
      // It has ended meanwhile.
    }
  }
  const below = (of: number): number[] => (parents.get(of) ?? []).flatMap(child => [child, ...below(child)])
  return below(pid)
}

/** One that has ended and was not yet waited for is none. */
function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
