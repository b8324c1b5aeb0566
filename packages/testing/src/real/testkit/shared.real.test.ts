import { beforeAll, describe, expect, it } from 'vitest'
import type { RealApiServer } from '../real-apiserver.ts'
import { realApiServerAvailable } from './available.ts'
import { ask, eventually } from './client.ts'
import { sharedRealServer } from './shared.ts'

const available = await realApiServerAvailable('a real API server that test files share')
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const group = 'shared.example.com'

const definitionOf = (properties: object): object => ({
  metadata: { name: `balls.${group}` },
  spec: {
    ...{ group, scope: 'Namespaced', names: { plural: 'balls', kind: 'Ball' } },
    versions: [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties } } },
    ],
  },
})

describe.runIf(available)('a real API server that test files share', () => {
  let server: RealApiServer

  beforeAll(async () => {
    server = await sharedRealServer()
  })

  const get = async (path: string): Promise<number> => (await ask(server, 'GET', path)).status
  const create = async (path: string, body: object): Promise<void> =>
    expect(await ask(server, 'POST', path, body)).toMatchObject({ status: 201 })

  it('is the same for the next, and has nothing of the one before, whatever holds on to it', async () => {
    const before = (await ask(server, 'GET', '/apis')).body
    for (const round of [1, 2]) {
      await create('/api/v1/namespaces', { metadata: { name: 'court' } })
      await create('/api/v1/namespaces/court/configmaps', { metadata: { name: 'a', finalizers: ['example.com/held'] } })
      expect((await ask(server, 'DELETE', '/api/v1/namespaces/court')).status).toBe(200)
      await create(definitions, definitionOf({ [`round${round}`]: { type: 'string' } }))
      const balls = `/apis/${group}/v1/namespaces/default/balls`
      await eventually(
        () => get(balls),
        status => status === 200,
      )
      const apiVersion = `${group}/v1`
      await create(balls, { apiVersion, kind: 'Ball', metadata: { name: 'b', finalizers: ['example.com/held'] } })
      await eventually(
        async () => JSON.stringify((await ask(server, 'GET', `/openapi/v3/apis/${group}/v1`)).body),
        text => text.includes(`round${round}`),
      )
      const next = await sharedRealServer()
      expect([next.url, next.folder]).toEqual([server.url, server.folder])
      expect(await Promise.all([balls, '/api/v1/namespaces/court', `/apis/${group}`].map(get))).toEqual([404, 404, 404])
      expect((await ask(server, 'GET', '/api/v1/configmaps')).body.items).not.toContainEqual(
        expect.objectContaining({ metadata: expect.objectContaining({ namespace: 'court' }) }),
      )
      expect((await ask(server, 'GET', definitions)).body.items).toEqual([])
      expect((await ask(server, 'GET', '/apis')).body).toEqual(before)
    }
  })

  it('is empty also after a restart, and is not closed', async () => {
    await create('/api/v1/namespaces/default/configmaps', { metadata: { name: 'left' } })
    await server.restart()
    await server.close()
    expect(await get('/api/v1/namespaces/default/configmaps/left')).toBe(200)
    await sharedRealServer()
    expect(await get('/api/v1/namespaces/default/configmaps/left')).toBe(404)
    expect((await ask(server, 'GET', '/api/v1/namespaces/default/services/kubernetes')).status).toBe(200)
  })
})
