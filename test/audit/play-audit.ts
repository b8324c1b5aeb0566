import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '@wherry/cli'
import { Client } from '@wherry/client'
import { type ApiServer, install } from '@wherry/testing'
import type { Finding } from '../../packages/cli/src/audit/report/findings.ts'
import type { AuditReport } from '../../packages/cli/src/audit/report/report.ts'
import { type ExpectedFinding, neededSecret } from './audited-programs.ts'
import { mirrors } from './programs/mirror.ts'

/** Secrets and ConfigMaps of others, and how large the data of each is. */
export const others = { secrets: 100, configMaps: 30, dataBytes: 10_000 } as const

const namespace = 'default'

/** The definition of Mirrors, objects of others, and a Mirror that needs one Secret. */
function objectsOfAudit(): readonly object[] {
  const text = { type: 'string' }
  const spec = { type: 'object', required: ['secret'], properties: { secret: text, note: text } }
  const filled = 'x'.repeat(others.dataBytes)
  const object = (kind: string, name: string, rest: object, apiVersion = 'v1'): object => {
    return { apiVersion, kind, metadata: { namespace, name }, ...rest }
  }
  const definition = {
    ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
    metadata: { name: 'mirrors.arcade.example.com' },
    spec: {
      ...{ group: 'arcade.example.com', scope: 'Namespaced' },
      names: { kind: 'Mirror', listKind: 'MirrorList', plural: 'mirrors', singular: 'mirror' },
      versions: [
        {
          ...{ name: 'v1', served: true, storage: true },
          schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
        },
      ],
    },
  }
  return [
    definition,
    ...Array.from({ length: others.secrets }, (_, at) =>
      object('Secret', `key-${at}`, { stringData: { key: `the secret of ${at}`, filled } }),
    ),
    ...Array.from({ length: others.configMaps }, (_, at) =>
      object('ConfigMap', `settings-${at}`, { data: { filled } }),
    ),
    object('Mirror', 'chess', { spec: { secret: neededSecret, note: 'one' } }, 'arcade.example.com/v1'),
  ]
}

/** How an operator of Mirrors is audited. */
export interface AuditedRun {
  /** The kubeconfig of the operator. @default that of the server's administrator */
  readonly kubeconfig?: object | undefined
  /** The form of the result. @default '--json' */
  readonly prints?: '--json' | '--rbac' | undefined
  /** The game that is played, as `--game` takes it: the audit ends with it. @default none */
  readonly game?: string | undefined
}

/**
 * Audits an operator of Mirrors, and returns what `wherry audit` prints. When the operator has mirrored the Mirror, the Mirror gets another note, so that the
 * operator runs once more; then the audit ends, or with the game. Rejects with the operator's output if it ends by itself, or does not mirror in five minutes.
 */
export async function printedAudit(
  command: readonly string[],
  server: ApiServer,
  { kubeconfig = server.kubeconfig, prints = '--json', game }: AuditedRun = {},
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'wherry-audits-'))
  await using client = new Client({ url: server.url, ca: server.ca, token: server.token })
  try {
    await install(server, ...objectsOfAudit())
    await writeFile(join(folder, 'kubeconfig'), JSON.stringify(kubeconfig), { mode: 0o600 })
    const ending = new AbortController()
    const printed = { stdout: '', stderr: '' }
    let changing: Promise<unknown> | undefined
    const stderr = {
      write(text: string) {
        printed.stderr += text
        if (printed.stderr.includes('mirrored chess one'))
          changing ??= client
            .patch(mirrors, { namespace, name: 'chess' }, { spec: { note: 'two' } })
            .catch(error => ending.abort(error))
        if (game === undefined && printed.stderr.includes('mirrored chess two')) ending.abort()
      },
    }
    const stdout = { write: (text: string) => (printed.stdout += text) }
    // Memory is no subject of these games.
    const rest = game === undefined ? ['--rest', '10m'] : ['--rest', '2s', '--game', game, '--max-rss-growth', '4000MB']
    const options = ['--kubeconfig', 'kubeconfig', prints, '--for', '5m', ...rest]
    const host = { stdout, stderr, cwd: folder, ending: () => ending.signal }
    const status = await runCommand(['audit', ...options, '--', ...command], host)
    await changing
    const isEnded = status === 0 || (game !== undefined && printed.stdout !== '')
    if (!isEnded || !printed.stderr.includes('mirrored chess two'))
      throw new Error(`${command.join(' ')} did not mirror (status ${status}):\n${printed.stderr}`, {
        cause: ending.signal.reason,
      })
    return printed.stdout
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The report of {@link printedAudit}. */
export async function playAudit(
  command: readonly string[],
  server: ApiServer,
  run?: Omit<AuditedRun, 'prints'>,
): Promise<AuditReport> {
  return JSON.parse(await printedAudit(command, server, run)) as AuditReport
}

/** A finding without its numbers. */
export function findingName(one: Finding): ExpectedFinding {
  if (one.finding === 'relists') return `relists ${one.resource} ${one.reason}`
  const subject = 'resource' in one ? one.resource : 'request' in one ? one.request : undefined
  return subject === undefined ? one.finding : `${one.finding} ${subject}`
}
