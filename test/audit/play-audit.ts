import { mkdtemp, rm } from 'node:fs/promises'
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

/**
 * Audits an operator of Mirrors. When it has mirrored the Mirror, the Mirror gets another note, so that the operator runs once more; then the
 * audit ends. Rejects with the program's output if the program ends by itself, or does not mirror in five minutes.
 */
export async function playAudit(command: readonly string[], server: ApiServer): Promise<AuditReport> {
  const folder = await mkdtemp(join(tmpdir(), 'wherry-audits-'))
  await using client = new Client({ url: server.url, ca: server.ca, token: server.token })
  try {
    await install(server, ...objectsOfAudit())
    await server.writeKubeconfig(join(folder, 'kubeconfig'))
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
        if (printed.stderr.includes('mirrored chess two')) ending.abort()
      },
    }
    const stdout = { write: (text: string) => (printed.stdout += text) }
    const options = ['--kubeconfig', 'kubeconfig', '--json', '--rest', '10m', '--for', '5m']
    const host = { stdout, stderr, cwd: folder, ending: () => ending.signal }
    const status = await runCommand(['audit', ...options, '--', ...command], host)
    await changing
    if (status !== 0 || !printed.stderr.includes('mirrored chess two'))
      throw new Error(`${command.join(' ')} did not mirror (status ${status}):\n${printed.stderr}`)
    return JSON.parse(printed.stdout) as AuditReport
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** A finding without its numbers. */
export function findingName(one: Finding): ExpectedFinding {
  if (one.finding === 'relists') return `relists ${one.resource} ${one.reason}`
  const subject = 'resource' in one ? one.resource : 'request' in one ? one.request : undefined
  return subject === undefined ? one.finding : `${one.finding} ${subject}`
}
