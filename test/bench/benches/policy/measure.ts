import { readdirSync, readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { setTimeout as after } from 'node:timers/promises'
import type { Client } from '@wherry/client'
import { type CustomResourceDefinition, customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { type IsolatedApiServer, startApiServer } from '@wherry/testing'
import { parse } from 'yaml'
import { configs } from '../../../../examples/policy-sync/config.ts'
import {
  type ConstraintTemplate,
  constraintsOf,
  definitionOf,
  templates,
} from '../../../../examples/policy-sync/template.ts'
import type { Metrics, ServerAddress, SubjectContext } from '../../harness/bench.ts'
import { readMemory } from '../../harness/memory.ts'
import { define } from '../../server/define.ts'
import { clientFor } from '../../server/wherry.ts'

export const kinds = 20
/** How long after a change of an object the audits begin that read it. */
export const auditDelayMs = 1000
export const group = 'bench.example.com'
export const kindOf = (index: number): { group: string; kind: string } => ({ group, kind: `Part${index}` })
export const pluralOf = (index: number): string => `part${index}s`

export const templateOf = (index: number): ConstraintTemplate => ({
  metadata: { name: `owned${index}s` },
  spec: { kind: `Owned${index}`, expression: '"owner" in object.metadata.labels', message: 'it has no owner' },
})

/** The measured parts, once it has begun. */
export interface Subjects {
  /** How many objects each registrar of parts has; the least of them. */
  count(): number
  /** Whether all constraints are there. */
  isComplete(): boolean
  close(): Promise<void>
}

/** Begins a subject on a server with objects, and sends as many again. */
export async function measurePolicy(
  { objects, start }: SubjectContext,
  begin: (address: ServerAddress) => Promise<Subjects>,
): Promise<Metrics> {
  const server = await startApiServer({ isolate: true, tls: true })
  try {
    const address = { url: server.url, ca: server.ca, token: server.token, emptyVersion: '0' }
    await fill(server, address, objects)
    const from = performance.now()
    const subjects = await begin(address)
    await until(() => subjects.isComplete() && subjects.count() === objects)
    const ready_ms = performance.now() - from
    const filling = performance.now()
    await send(server, 'second', objects)
    await until(() => subjects.count() === 2 * objects)
    const seconds = (performance.now() - filling) / 1000
    const { rss } = readMemory()
    const { byVerb } = await server.stats()
    const watches = Object.entries(byVerb.watch ?? {})
      .filter(([resource]) => resource.endsWith(group) || resource.includes('constraints.policy'))
      .reduce((sum, [, { openStreams }]) => sum + openStreams, 0)
    await subjects.close()
    return { ready_ms, rss_bytes: rss - start.rss, events_per_s: objects / seconds, watches }
  } finally {
    await server.close()
  }
}

async function fill(server: IsolatedApiServer, address: ServerAddress, objects: number): Promise<void> {
  await using client = clientFor(address)
  for (const definition of ownDefinitions()) await define(client, definition)
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  const versions = [{ name: 'v1', served: true, storage: true, schema }]
  for (let index = 0; index < kinds; index++) {
    const { kind } = kindOf(index)
    const plural = pluralOf(index)
    const names = { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() }
    await define(client, {
      metadata: { name: `${plural}.${group}` },
      spec: { group, scope: 'Namespaced', names, versions },
    })
    const template = await client.create(templates, templateOf(index))
    await apply(client, template)
    const constraint = { metadata: { name: 'all' }, spec: { match: [kindOf(index)] } }
    await until(() =>
      client
        .create(constraintsOf(template), constraint)
        .then(() => true)
        .catch(() => false),
    )
  }
  const sync = Array.from({ length: kinds }, (_, index) => kindOf(index))
  await client.create(configs, { metadata: { name: 'config' }, spec: { sync } })
  await send(server, 'first', objects)
}

/** As the operator has left it when it ended: its constraints are there when it starts again. */
async function apply(client: Client, template: ConstraintTemplate): Promise<void> {
  const { metadata: { name = '', uid = '' } = {} } = template
  const owner = { apiVersion: 'policy.example.com/v1', kind: 'ConstraintTemplate', name, uid }
  const { metadata, spec } = definitionOf(template)
  const ownerReferences = [{ ...owner, controller: true, blockOwnerDeletion: true }]
  const labels = { 'policy.example.com/template': 'true' }
  const definition = { metadata: { ...metadata, labels, ownerReferences }, spec }
  await client.apply(customResourceDefinitions, definition, { fieldManager: 'policy-sync/template' })
}

/** The definitions of the example's own kinds. */
function ownDefinitions(): CustomResourceDefinition[] {
  const folder = new URL('../../../../examples/policy-sync/deploy/crd/', import.meta.url)
  return readdirSync(folder).map(name => parse(readFileSync(new URL(name, folder), 'utf8')) as CustomResourceDefinition)
}

/** Objects are made in the server's process: this one's memory is measured. */
async function send(server: IsolatedApiServer, batch: string, count: number): Promise<void> {
  const module = new URL('./part-source.ts', import.meta.url).href
  await server.fill({ module, export: 'partSource', args: [batch, count, kinds] })
}

async function until(ask: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await ask())) await after(5)
}
