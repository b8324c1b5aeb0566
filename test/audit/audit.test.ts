import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Grant, startEmbeddedApiServer } from '@wherry/apiserver'
import { Client } from '@wherry/client'
import { configMaps, namespaces, secrets } from '@wherry/client/resources/core'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AuditReport } from '../../packages/cli/src/audit/report/report.ts'
import { runCommand } from '../../packages/cli/src/index.ts'
import { root } from '../../tools/workspace.ts'

const fromSource = ['--import', join(root, 'test/examples/from-source.ts')]
let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wherry-audit-test-'))
})

afterEach(() => rm(folder, { recursive: true }))

interface Audited {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs the command in this process. @param until presses Ctrl+C for each of these texts in turn, when stderr has it */
async function audit(args: readonly string[], ...until: readonly string[]): Promise<Audited> {
  const presses = until.map(() => new AbortController())
  const said = { stdout: '', stderr: '' }
  const output = (name: keyof typeof said) => ({
    write(text: string) {
      said[name] += text
      const next = presses.findIndex(({ signal }) => !signal.aborted)
      if (next >= 0 && said.stderr.includes(until[next] as string)) presses[next]?.abort()
    },
  })
  const ending = (): AbortSignal =>
    presses.find(({ signal }) => !signal.aborted)?.signal ?? new AbortController().signal
  const host = { stdout: output('stdout'), stderr: output('stderr'), cwd: folder, ending }
  const status = await runCommand(['audit', ...args], host)
  return { status, ...said }
}

async function objects(...items: readonly object[]): Promise<string> {
  await mkdir(join(folder, 'objects'))
  await writeFile(join(folder, 'objects/all.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
  return 'objects'
}

const keys = Array.from({ length: 30 }, (_, at) => {
  const metadata = { namespace: 'default', name: `key-${at}` }
  return { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { key: `the secret of ${at}` } }
})

it('an informer of client-node that needs one Secret of 30 has exactly these findings', async () => {
  const program = join(root, 'packages/cli/src/testkit/client-node-informer.ts')
  const args = ['--json', '--rest', '10m', '--objects', await objects(...keys), '--', process.execPath, program]
  const { status, stdout, stderr } = await audit(args)
  expect(status, stderr).toBe(3)
  const report = JSON.parse(stdout) as AuditReport
  expect(report.findings).toEqual([
    {
      ...{ finding: 'whole-kind', resource: 'secrets', namespace: '', distinct: 31, used: 2 },
      bytes: report.collections[0]?.bytes,
    },
    { finding: 'unchanged-writes', resource: 'secrets', times: 1, of: 2 },
  ])
  const [secrets] = report.collections
  expect(report.collections).toHaveLength(1)
  expect(secrets).toMatchObject({ lists: 1, watches: 1, relists: {} })
  expect(report.byName).toMatchObject([{ resource: 'secrets', get: 1, create: 1, patch: 2, unchanged: 1 }])
  // The first sample may be that of a process that has hardly begun.
  expect(Math.max(...report.memory.map(({ rssBytes }) => rssBytes))).toBeGreaterThan(1_000_000)
  expect(report.rest).toBeUndefined()
  expect(stdout).not.toContain('the secret of')
  expect(stdout).not.toContain(Buffer.from('the secret of 7').toString('base64'))
})

it('an operator on Wherry that needs one Secret of 30 has exactly this finding', async () => {
  const game = {
    ...{ apiVersion: 'arcade.example.com/v1', kind: 'Game', metadata: { namespace: 'default', name: 'chess' } },
    spec: { title: 'Chess', licenceSecret: 'key-7' },
  }
  const crds = ['--crds', join(root, 'examples/quickstart/deploy/crd')]
  const program = ['env', 'PORT=0', process.execPath, ...fromSource, join(root, 'examples/quickstart/main.ts')]
  const args = ['--json', '--rest', '10m', ...crds, '--objects', await objects(...keys, game), '--', ...program]
  const { status, stdout, stderr } = await audit(args, 'the phase has changed')
  expect(status, stderr).toBe(0)
  const report = JSON.parse(stdout) as AuditReport
  // It begins without managedFields, and reads its own kind once more when it first writes and needs them.
  const resource = 'games.arcade.example.com'
  expect(report.findings).toEqual([{ finding: 'relists', resource, reason: 'open', times: 1 }])
  const secrets = report.collections.filter(({ resource }) => resource === 'secrets')
  expect(secrets).toMatchObject([{ namespace: 'default', selector: 'metadata.name=key-7', distinct: 1 }])
})

it('a report is a table for people', async () => {
  const program = join(root, 'packages/cli/src/testkit/client-node-informer.ts')
  const args = ['--rest', '10m', '--objects', await objects(...keys), '--', process.execPath, program]
  const { stdout } = await audit(args)
  expect(stdout).toMatch(/^LISTED OR WATCHED +SCOPE +SELECTOR +LISTS +WATCHES +OBJECTS +USED /)
  expect(stdout).toMatch(/^secrets +cluster +- +1 +1 +\d+ +2 of 31 /m)
  expect(stdout).toContain(
    '- All secrets in the whole cluster are watched: of 31 objects, 2 are read or written by name.\n  https://github.com/wherry-dev/wherry/blob/main/docs/audit.md#it-watches-a-whole-kind\n',
  )
  expect(stdout).toContain('- 1 of 2 writes of secrets changed nothing.')
  // A program that ends within a second may have only the first sample, of a process that has just begun.
  expect(stdout).toMatch(/Memory \(RSS\) of the command and its children: [\d.]+ [kM]B at first, [\d.]+ [kM]B at most/)
})

it('--rbac prints the roles that the program needs, in place of the report', async () => {
  const program = join(root, 'packages/cli/src/testkit/client-node-informer.ts')
  const { status, stdout } = await audit([
    '--rbac',
    '--objects',
    await objects(...keys),
    '--',
    process.execPath,
    program,
  ])
  expect(status).toBe(3)
  expect(stdout.replace(/^#.*\n/, '')).toBe(`apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: operator
rules:
  - apiGroups:
      - ""
    resources:
      - secrets
    verbs:
      - get
      - list
      - watch
      - create
      - patch
`)
})

it('--record writes the report to a file, and --compare compares two of them', async () => {
  const record = (file: string, text: string) => audit(['--record', file, ...sh(text)])
  expect(await record('before.json', 'exit 3')).toMatchObject({ status: 3 })
  await record('after.json', 'exit 0')
  expect(JSON.parse(await readFile(join(folder, 'before.json'), 'utf8'))).toMatchObject({ collections: [] })
  const { status, stdout } = await audit(['--compare', 'before.json', 'after.json'])
  expect(status).toBe(0)
  expect(stdout).toMatch(/^RUN +BEFORE +AFTER\nseconds /)
})

it('--html writes the report to a file, too', async () => {
  const { status, stdout } = await audit(['--html', 'report.html', ...sh('exit 3')])
  expect(status).toBe(3)
  expect(stdout).toContain('No request passed')
  const page = await readFile(join(folder, 'report.html'), 'utf8')
  expect(page).toMatch(/^<!doctype html>/)
  expect(page).toContain('No request passed')
})

it.each(['--record', '--html'])('a command is not run if its report could not be written: %s', async option => {
  const { status, stderr } = await audit([option, 'no/x', ...sh('echo it ran')])
  expect(stderr).toContain('no/x')
  expect(stderr).not.toContain('it ran')
  expect(status).toBe(1)
})

const gameWithoutNumbers = JSON.stringify({
  ...{ seconds: 1, others: { requests: 0, bytes: 0 }, findings: [], collections: [], byName: [], patches: [] },
  ...{ memory: [], game: { counts: {}, received: [], rssBeforeBytes: 1, rssMostBytes: 1 } },
})

it.each(['{', '{}', '[]', '{"seconds":1,"others":{"requests":1,"bytes":1},"collections":[{}]}', gameWithoutNumbers])(
  'a file that is no report is named: %s',
  async text => {
    await writeFile(join(folder, 'x.json'), text)
    const { status, stderr } = await audit(['--compare', 'x.json', 'x.json'])
    expect(stderr).toContain('x.json is no report of wherry audit')
    expect(status).toBe(1)
  },
)

it.each([
  { finding: 'slow-start', seconds: 3 },
  { finding: 'toString' },
  { finding: 'relists', resource: 'pods', reason: 'moon', times: 1 },
  { finding: 'relists', resource: 'pods', reason: 'open' },
])('a finding of another version is named: %j', async finding => {
  const none = { collections: [], byName: [], patches: [], memory: [], others: { requests: 0, bytes: 0 } }
  const text = (findings: readonly object[]): string => JSON.stringify({ seconds: 1, ...none, findings })
  await writeFile(join(folder, 'x.json'), text([{ finding: 'no-requests' }, finding]))
  await writeFile(join(folder, 'y.json'), text([{ finding: 'no-requests' }]))
  const { status, stdout, stderr } = await audit(['--compare', 'y.json', 'x.json'])
  expect(stderr).toContain(`x.json has a finding that this version does not know: ${JSON.stringify(finding)}`)
  expect(stdout).toBe('')
  expect(status).toBe(1)
  expect(await audit(['--compare', 'y.json', 'y.json'])).toMatchObject({ status: 0 })
})

describe('--game', () => {
  const game = 'configmaps=2,secrets=3,pods=2,events=2,size=20kB'

  interface Played {
    /** Ctrl+C is pressed for each of these texts in turn, when stderr has it. */
    readonly until?: readonly string[]
    /** The rights of the audit. @default those of an administrator */
    readonly roles?: readonly Grant[]
    /** Finalizers of the ConfigMaps of the game. */
    readonly finalizers?: readonly string[]
  }

  /** Audits a program that watches a path of a server, and returns the namespaces that are left, too. */
  async function play(
    path: string,
    args: readonly string[],
    { until = [], roles, finalizers }: Played = {},
  ): Promise<Audited & { left: readonly string[] }> {
    await using server = await startEmbeddedApiServer({ authorization: 'RBAC' })
    const { kubeconfig } = roles === undefined ? server : await server.account(roles)
    await writeFile(join(folder, 'kubeconfig'), JSON.stringify(kubeconfig))
    const program = [process.execPath, join(root, 'packages/cli/src/testkit/watch-path.ts'), path]
    const all = ['--kubeconfig', 'kubeconfig', '--json', '--rest', '300ms', '--game', game, ...args, '--', ...program]
    await using client = new Client({ url: server.url, ca: server.ca, token: server.token })
    await client.create(secrets, { metadata: { namespace: 'default', name: 'of-no-game' } })
    const held = new AbortController()
    const holding = finalizers && holdConfigMaps(client, finalizers, held.signal)
    const audited = await audit(all, ...until)
    held.abort()
    await holding
    const left = (await client.list(namespaces)).items.map(({ metadata }) => metadata.name)
    return { ...audited, left: left.filter(name => name.startsWith('wherry-audit-')) }
  }

  /** Adds finalizers to each ConfigMap of a game, so that its namespace can't be deleted. */
  async function holdConfigMaps(client: Client, finalizers: readonly string[], signal: AbortSignal): Promise<void> {
    const hold = async (): Promise<void> => {
      for await (const event of client.watch(configMaps, { signal })) {
        if (event.type !== 'ADDED') continue
        const { name, namespace = '' } = event.object.metadata
        if (name.startsWith('game-')) await client.patch(configMaps, { name, namespace }, { metadata: { finalizers } })
      }
    }
    await hold().catch(error => {
      if (!signal.aborted) throw error
    })
  }

  it('a program that watches all Secrets receives those of the game, and fails', async () => {
    const { status, stdout, stderr, left } = await play('/api/v1/secrets?watch=1', ['--max-rss-growth', '1kB'])
    expect(status, stderr).toBe(1)
    const { game: report, findings, memory, collections } = JSON.parse(stdout) as AuditReport
    expect(report?.counts).toEqual({ configmaps: 2, secrets: 3, pods: 2, events: 2 })
    const [received, ...others] = report?.received ?? []
    expect(received).toMatchObject({ resource: 'secrets', objects: 6 })
    expect(received?.bytes).toBeGreaterThan(6 * 20_000)
    // The memory is read before the game and after it, and the bytes with it.
    const bytes = memory.map(({ receivedBytes }) => receivedBytes)
    expect(bytes).toEqual(bytes.toSorted((one, other) => one - other))
    expect(bytes[0]).toBeLessThan(20_000)
    expect(bytes.at(-1)).toBeGreaterThan(received?.bytes ?? 0)
    expect(bytes.at(-1)).toBeLessThanOrEqual(collections[0]?.bytes ?? 0)
    expect(others).toEqual([])
    expect(findings).toContainEqual({ finding: 'game-received', ...received })
    expect(findings).toContainEqual(expect.objectContaining({ finding: 'game-memory', maxGrowthBytes: 1_000 }))
    expect(left).toEqual([])
  })

  it('a program that watches its own namespace receives nothing of it', async () => {
    const args = ['--max-rss-growth', '900MB']
    const { status, stdout, stderr } = await play('/api/v1/namespaces/default/secrets?watch=1', args)
    expect(status, stderr).toBe(0)
    const { game: report, findings } = JSON.parse(stdout) as AuditReport
    expect(report?.received).toEqual([])
    expect(report?.rssBeforeBytes).toBeGreaterThan(1_000_000)
    expect(findings).toEqual([])
  })

  it('a game that is cut short leaves nothing, and fails', async () => {
    const { status, stderr, left } = await play('/api/v1/secrets?watch=1', ['--game', 'secrets=3000,size=1kB'], {
      until: ['received an object of the game'],
    })
    expect(stderr).toContain('the game was not played to its end')
    expect(stderr).not.toContain('may be left')
    expect(status).toBe(1)
    expect(left).toEqual([])
  })

  it('the second Ctrl+C ends the audit although its namespace is not gone, and names the namespace and the command that deletes it', async () => {
    const { status, stderr, left } = await play(
      '/api/v1/secrets?watch=1',
      ['--game', 'configmaps=3,secrets=3000,size=1kB'],
      { until: ['received an object of the game', 'is being deleted'], finalizers: ['example.com/hold'] },
    )
    const [name = ''] = left
    expect(stderr).toContain(
      `wherry audit: the namespace ${name} is being deleted: another Ctrl+C ends the audit at once\n`,
    )
    expect(stderr).toContain(
      `wherry audit: the namespace ${name} may be left (the audit was interrupted twice): delete it with kubectl --kubeconfig kubeconfig delete namespace ${name}\n`,
    )
    expect(stderr).toContain('the game was not played to its end')
    expect(status).toBe(1)
    expect(left).toEqual([expect.stringMatching(/^wherry-audit-/)])
  })

  /** Rights for a game without the named verbs for namespaces. */
  const rolesWithout = (...without: readonly string[]): readonly Grant[] => {
    const verbs = ['create', 'delete', 'get', 'list', 'watch'].filter(one => !without.includes(one))
    const inGame = ['secrets', 'configmaps', 'pods', 'events', 'serviceaccounts']
    return [
      { verbs, apiGroups: [''], resources: ['namespaces'] },
      { verbs: ['*'], apiGroups: [''], resources: inGame },
    ]
  }

  it('a namespace that the audit may not delete is named, with the reason', async () => {
    const { status, stderr, left } = await play('/api/v1/secrets?watch=1', [], { roles: rolesWithout('delete') })
    const [name = ''] = left
    expect(stderr).toMatch(
      new RegExp(
        `the namespace ${name} may be left \\(.*forbidden.*\\): delete it with kubectl .* delete namespace ${name}\n`,
      ),
    )
    expect(stderr).toContain("the game can't be played")
    expect(status).toBe(1)
    expect(left).toEqual([expect.stringMatching(/^wherry-audit-/)])
  })

  it('a namespace that the audit may not make is not said to be left', async () => {
    const { status, stderr, left } = await play('/api/v1/secrets?watch=1', [], {
      roles: rolesWithout('create', 'delete'),
    })
    expect(stderr).toMatch(/the game can't be played: .*forbidden.*namespaces/)
    expect(stderr).not.toContain('may be left')
    expect(status).toBe(1)
    expect(left).toEqual([])
  })
})

/** Waits until a process is gone, or nothing but its entry is left. */
const ends = (pid: string = ''): Promise<void> =>
  vi.waitFor(() =>
    expect(spawnSync('ps', ['-o', 'stat=', '-p', pid], { encoding: 'utf8' }).stdout.trim()).toMatch(/^Z|^$/),
  )

const sh = (text: string): readonly string[] => ['--', 'sh', '-c', text]

it('a command that asks for nothing is named', async () => {
  const { status, stdout } = await audit(['--json', ...sh('echo "$KUBECONFIG" >&2')])
  expect(status).toBe(0)
  expect((JSON.parse(stdout) as AuditReport).findings).toEqual([{ finding: 'no-requests' }])
})

it('a command ends with the audit, and what it has started too', async () => {
  const pids = 'sleep 1000 & echo "pids $$ $!"; wait'
  const { status, stderr } = await audit(['--json', ...sh(pids)], 'pids')
  expect(status).toBe(0)
  const [, one, other] = /pids (\d+) (\d+)/.exec(stderr) ?? []
  for (const pid of [one, other]) await ends(pid)
})

it('the second Ctrl+C ends a command that does not stop', async () => {
  const stubborn = `trap 'echo "it stays" >&2' INT TERM; echo "pid $$ begins" >&2; while true; do sleep 0.1; done`
  const { status, stderr } = await audit(['--json', ...sh(stubborn)], 'begins', 'it stays')
  expect(status).toBe(0)
  const [, pid] = /pid (\d+)/.exec(stderr) ?? []
  await ends(pid)
  // Without it the command would be killed after ten seconds.
}, 8_000)

it('a command that ends by itself ends the audit, also if a child of it goes on', async () => {
  const { status, stderr } = await audit(['--json', ...sh('sleep 1000 & echo "pid $!"; exit 7')])
  expect(status).toBe(7)
  const [, pid] = /pid (\d+)/.exec(stderr) ?? []
  await ends(pid)
})

it('--for ends a command', async () => {
  const { status, stdout } = await audit(['--for', '100ms', '--rest', '50ms', '--json', ...sh('sleep 1000')])
  expect(status).toBe(0)
  expect((JSON.parse(stdout) as AuditReport).rest).toEqual({ seconds: 0.05, requests: [] })
})

it.each([
  [['--', 'no-such-command'], 1, "no-such-command can't be run"],
  [['--objects', 'nowhere', '--', 'true'], 1, 'nowhere'],
  [['--kubeconfig', 'nowhere', '--', 'true'], 1, 'there is no cluster'],
  [['--crds', 'x', '--cluster', 'dev', '--', 'true'], 2, '--crds is for the embedded API server'],
  [['--yes', '--', 'true'], 2, '--yes goes with --cluster'],
  [['--rbac', '--json', '--', 'true'], 2, "option '--rbac' cannot be used with option '--json'"],
  [['--compare', 'x.json', 'y.json'], 1, 'x.json'],
  [['--compare', 'x.json'], 2, '--compare takes two files'],
  [['--compare', '--json', 'x.json', 'y.json'], 2, "option '--compare' cannot be used with option '--json'"],
  [['--html', 'x', '--record', 'x', '--', 'true'], 2, '--html and --record name the same file'],
  [['--compare', '--html', 'x', 'x.json', 'y.json'], 2, "option '--compare' cannot be used with option '--html"],
  [['--game', 'cats=2', '--', 'true'], 2, 'not cats=2'],
  [['--game', 'size=2MB', '--', 'true'], 2, 'size of --game takes a size such as 500kB or 20MB, 1000 kB at most'],
  [['--game', 'configmaps=0,secrets=0,pods=0,events=0', '--', 'true'], 2, '--game needs an object'],
  [['--max-rss-growth', '1MB', '--', 'true'], 2, '--max-rss-growth goes with --game'],
  [['--for', 'ever', '--', 'true'], 2, '--for takes a duration'],
  [[], 2, "missing required argument 'command'"],
] as const)('a mistake is named: %j', async (args, status, message) => {
  const ran = await audit(args)
  expect(ran.stderr).toContain(message)
  expect(ran.status).toBe(status)
})
