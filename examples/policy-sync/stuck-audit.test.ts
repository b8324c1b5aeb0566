import type { KubernetesObject } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { startApiServer } from '@wherry/testing'
import type { SinkEvent } from '@wherry/watch-manager'
import { expect, it, vi } from 'vitest'
import type { ObjectStore } from './store.ts'
import { constraintKind, constraintsOf, templates } from './template.ts'
import { audited, constrain, installed, Running, sync } from './testkit/running.ts'
import { requiredLabels } from './testkit/templates.ts'

const objects = 120
const rounds = 5
const kind = { group: '', kind: 'ConfigMap' }
const resourceOfConstraints = 'requiredlabels.constraints.policy.example.com'

/** Which objects have the label `value` as that, as a registrar's store has received. */
function receivedOf(store: ObjectStore<KubernetesObject>): (value: string) => number {
  const values = new Map<string, string | undefined>()
  const event = store.event.bind(store)
  vi.spyOn(store, 'event').mockImplementation((reported: SinkEvent<KubernetesObject>) => {
    if (reported.type === 'changed') values.set(`${reported.key}`, reported.object.metadata?.labels?.value)
    return event(reported)
  })
  return value => [...values.values()].filter(one => one === value).length
}

/** Does something for each name, a few at a time. */
async function forAll<T>(names: readonly T[], work: (name: T) => Promise<unknown>): Promise<void> {
  const left = [...names]
  const next = async (): Promise<void> => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) await work(name)
  }
  await Promise.all(Array.from({ length: 10 }, next))
}

it('W5: an audit that is stuck holds up nobody else', async () => {
  const server = await startApiServer({ kind: 'embedded', clusterObjects: false })
  const client = await installed(server)
  const running = new Running(client)
  try {
    const { policySync } = running
    const names = Array.from({ length: objects }, (_, index) => ({ namespace: 'default', name: `c${index}` }))
    await forAll(names, name => client.create(configMaps, { metadata: { ...name, labels: { owner: 'me' } } }))
    await sync(client, kind)
    await client.create(templates, requiredLabels)
    const constraints = constraintsOf(requiredLabels)
    const spec = { match: [kind], parameters: { labels: ['owner'] } }
    const status = await constrain(client, requiredLabels, 'c0', spec)
    await forAll(names.slice(1), ({ name }) => client.create(constraints, { metadata: { name }, spec }))
    await vi.waitFor(async () => {
      expect(policySync.constraints.count(constraintKind(requiredLabels))).toBe(objects)
      const { items } = await client.list(constraints)
      expect(items.filter(one => audited(one.status ?? {}) !== 'Audited')).toEqual([])
    })
    expect(await status()).toMatchObject({ totalViolations: 0 })
    // The server never answers a write of a constraint's status: an audit that finds something does not end.
    const match = { verb: 'patch', resource: resourceOfConstraints, subresource: 'status' }
    await server.faults.add({ match, effect: { kind: 'hang' } })
    const requests = async (): Promise<number> =>
      (await server.stats()).byVerb.patch?.[resourceOfConstraints]?.requests ?? 0
    const before = await requests()
    await client.create(configMaps, { metadata: { namespace: 'default', name: 'nobodys' } })
    await vi.waitFor(async () => expect(await requests()).toBe(before + 1))

    const synced = receivedOf(policySync.synced)
    const received = receivedOf(policySync.constraints as unknown as ObjectStore<KubernetesObject>)
    for (let round = 0; round < rounds; round++) {
      const value = `${round}`
      const change = { metadata: { labels: { value } } } // of a constraint, it is no new generation
      await forAll(names, name => client.patch(configMaps, name, change))
      await vi.waitFor(() => expect(synced(value)).toBe(objects))
      await forAll(names, ({ name }) => client.patch(constraints, { name }, change))
      await vi.waitFor(() => expect(received(value)).toBe(objects))
      // The audit has not come on.
      expect(policySync.audited.lookup('ConfigMap', 'metadata.labels.value', value)).toEqual([])
    }
  } finally {
    await running.close()
    await client.close()
    await server.close()
  }
})
