import { type Client, defineResource, type KubernetesObject, type Resource } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { type EmbeddedApiServer, startApiServer } from '@wherry/testing'
import { expect, it, vi } from 'vitest'
import { textOf } from './kinds.ts'
import { type ConstraintTemplate, constraintsOf, templates } from './template.ts'
import { audited, constrain, installed, Running, sync } from './testkit/running.ts'

const kinds = 50
const objectsOfKind = 400
const group = 'example.com'
const kindOf = (index: number): { group: string; kind: string } => ({ group, kind: `Part${index % kinds}` })

/**
 * Audits the even kinds and looks up the odd ones: each part has a partner of the next kind. An audit that lacks partners finds parts
 * without one. An audit that lacks parts does not find the part without its partner.
 */
const partners: ConstraintTemplate = {
  metadata: { name: 'partners' },
  spec: {
    kind: 'Partners',
    message: 'it has no partner',
    expression: Array.from({ length: kinds / 2 }, (_, half) => {
      const index = 2 * half
      const { kind } = kindOf(index + 1)
      return `(object.spec.of != ${index} || lookup("${group}", "${kind}", "spec.id", object.spec.id).size() == 1)`
    }).join(' && '),
  },
}

const pluralOf = (index: number): string => `${kindOf(index).kind.toLowerCase()}s`

const partsOf = (index: number): Resource<KubernetesObject, 'namespaced'> =>
  defineResource<KubernetesObject>({ ...kindOf(index), version: 'v1', plural: pluralOf(index), namespaced: true })

const partOf = (index: number, id: number): KubernetesObject & { spec: object } => ({
  apiVersion: `${group}/v1`,
  kind: kindOf(index).kind,
  metadata: { namespace: 'default', name: `p${id}` },
  spec: { of: index, id: `${id}` },
})

async function fill(server: EmbeddedApiServer, client: Client): Promise<void> {
  for (let index = 0; index < kinds; index++) {
    const { kind } = kindOf(index)
    const names = { kind, listKind: `${kind}List`, plural: pluralOf(index), singular: kind.toLowerCase() }
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
    await client.create(customResourceDefinitions, {
      metadata: { name: `${names.plural}.${group}` },
      spec: { group, scope: 'Namespaced', names, versions: [{ name: 'v1', served: true, storage: true, schema }] },
    })
  }
  await vi.waitFor(() => client.list(partsOf(kinds - 1)))
  await server.fill(Array.from({ length: kinds * objectsOfKind }, (_, i) => partOf(i % kinds, Math.floor(i / kinds))))
}

it('W8: an operator that starts again among 20,000 objects of 50 kinds never decides on half of them', async () => {
  await using server = await startApiServer({ kind: 'embedded' })
  await using client = await installed(server)
  await fill(server, client)
  const all = Array.from({ length: kinds }, (_, index) => kindOf(index))
  const match = all.filter((_, index) => index % 2 === 0)
  await sync(client, ...all)
  await client.create(templates, partners)
  let running = new Running(client)
  const totals: (number | undefined)[] = []
  const reports = async (total: number): Promise<void> => {
    await vi.waitFor(() => expect(totals.at(-1)).toBe(total))
  }
  const isReady = (): void => {
    const { synced, audited } = running.policySync
    expect(all.filter(kind => !synced.isReady(textOf(kind)))).toEqual([])
    expect(match.filter(kind => !audited.isReady(textOf(kind)))).toEqual([])
  }
  const status = await constrain(client, partners, 'all', { match })
  await vi.waitFor(async () => expect(audited(await status())).toBe('Audited'))
  const watch = client.watchEach(constraintsOf(partners), {
    event: (_, { status }) => {
      if (totals.at(-1) !== status?.totalViolations) totals.push(status?.totalViolations)
    },
    end: () => {},
  })
  try {
    await reports(0)
    // Either parts come late, or partners: all others are there long before.
    for (const { gone: index, late } of [
      { gone: 1, late: 0 },
      { gone: 7, late: 17 },
      { gone: 23, late: 22 },
      { gone: 31, late: 41 },
    ]) {
      const partner = { namespace: 'default', name: 'p3' }
      await client.delete(partsOf(index), partner)
      await reports(1)
      await running.close()
      const resource = `${pluralOf(late)}.${group}`
      await server.faults.add({ match: { verb: 'watch', resource }, nth: 1, effect: { kind: 'delay', ms: 1000 } })
      running = new Running(client)
      await vi.waitFor(isReady)
      await client.create(partsOf(index), partOf(index, 3))
      await reports(0)
    }
  } finally {
    watch.abort()
    await running.close()
  }
  expect(totals).toEqual([0, 1, 0, 1, 0, 1, 0, 1, 0])
})
