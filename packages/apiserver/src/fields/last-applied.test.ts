import { describe, expect, it } from 'vitest'
import { cm, type Kit, merge, withServer } from '../testkit/in-memory.ts'

const annotation = 'kubectl.kubernetes.io/last-applied-configuration'

/** A ConfigMap `a` as `kubectl apply` leaves it. */
async function appliedByClient({ call }: Kit, data: Record<string, string>): Promise<void> {
  const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { annotations: {}, name: 'a' }, data }
  const annotations = { [annotation]: `${JSON.stringify(config)}\n` }
  await call('POST', `${cm}?fieldManager=kubectl-client-side-apply`, { metadata: { name: 'a', annotations }, data })
}

async function applied({ call }: Kit, manager: string, data: Record<string, string>): Promise<[number, unknown]> {
  const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data }
  const headers = { 'content-type': 'application/apply-patch+yaml' }
  const { status, json } = await call('PATCH', `${cm}/a?fieldManager=${manager}`, config, headers)
  return [status, json.metadata?.annotations?.[annotation]]
}

describe('the annotation of client-side applies', () => {
  it('F1: kubectl takes at the server what it applied as a client, and writes what it applied', () =>
    withServer(async kit => {
      await appliedByClient(kit, { k: '1' })
      expect(await applied(kit, 'kubectl', { k: '2' })).toEqual([
        200,
        '{"apiVersion":"v1","data":{"k":"2"},"kind":"ConfigMap","metadata":{"name":"a"}}\n',
      ])
    }))

  it('F1: others conflict with it, and so does kubectl over what somebody has changed since', () =>
    withServer(async kit => {
      await appliedByClient(kit, { k: '1' })
      expect((await applied(kit, 'other', { k: '2' }))[0]).toBe(409)
      await kit.call('PATCH', `${cm}/a?fieldManager=somebody`, { data: { k: '3' } }, merge)
      expect((await applied(kit, 'kubectl', { k: '2' }))[0]).toBe(409)
    }))

  it('F1: kubectl takes nothing over if the annotation contains no object', () =>
    withServer(async kit => {
      const annotations = { [annotation]: 'null' }
      await kit.call('POST', `${cm}?fieldManager=other`, { metadata: { name: 'a', annotations }, data: { k: '1' } })
      expect((await applied(kit, 'kubectl', { k: '2' }))[0]).toBe(409)
    }))

  it('F1: nothing is written where there is no annotation', () =>
    withServer(async kit => {
      await kit.configMap('a', { data: { x: '1' } })
      expect(await applied(kit, 'kubectl', { k: '2' })).toEqual([200, undefined])
    }))
})
