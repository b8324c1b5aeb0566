import { describe, expect, it } from 'vitest'
import { withServer } from './testkit/in-memory.ts'

describe('fill', () => {
  it('F1: a namespace that it makes is found by its name label, as one that was created', () =>
    withServer(async ({ call, server }) => {
      await server.fill([{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'made' } }])
      const found = await call('GET', '/api/v1/namespaces?labelSelector=kubernetes.io/metadata.name%3Dmade')
      expect(found.json.items).toMatchObject([{ metadata: { name: 'made' } }])
    }))
})
