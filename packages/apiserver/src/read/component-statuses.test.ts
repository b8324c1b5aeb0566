import { describe, expect, it } from 'vitest'
import { withServer } from '../testkit/in-memory.ts'

const path = '/api/v1/componentstatuses'

describe('ComponentStatuses', () => {
  it('F1: say which programs of a control plane this server plays', () =>
    withServer(async ({ call }) => {
      const { json, headers } = await call('GET', path)
      const health = json.items.map((one: { metadata: { name: string }; conditions: { status: string }[] }) => [
        one.metadata.name,
        one.conditions[0]?.status,
      ])
      expect(health).toEqual([
        ['controller-manager', 'True'],
        ['etcd-0', 'True'],
        ['scheduler', 'False'],
      ])
      expect([json.kind, json.metadata, String(headers.warning)]).toMatchObject([
        ...['ComponentStatusList', {}],
        expect.stringContaining('deprecated in v1.19+'),
      ])
      const one = await call('GET', `${path}?fieldSelector=metadata.name%3Detcd-0`)
      expect(one.json.items).toHaveLength(1)
      expect((await call('GET', `${path}/nobody`)).status).toBe(404)
      expect((await call('GET', `${path}/constructor`)).status).toBe(404)
      expect((await call('GET', `${path}?watch=1`)).status).toBe(405)
      expect((await call('POST', path, {})).status).toBe(405)
      const table = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' }
      const { rows } = (await call('GET', `${path}/etcd-0`, undefined, table)).json
      expect(rows[0].cells).toEqual(['etcd-0', 'Healthy', 'ok', ''])
    }))
})
