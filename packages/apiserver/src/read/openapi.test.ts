import { describe, expect, it } from 'vitest'
import { definitions, gameDefinition, merge, withServer } from '../testkit/in-memory.ts'

interface Document {
  readonly paths: Readonly<Record<string, unknown>>
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}

describe('OpenAPI', () => {
  it('F1: the index has an address for each document, which says its state', () =>
    withServer(async ({ call }) => {
      const { paths } = (await call('GET', '/openapi/v3')).json
      expect(Object.keys(paths).slice(0, 3)).toEqual(['api', 'api/v1', 'apis'])
      const address = paths['apis/apps/v1'].serverRelativeURL as string
      const hash = /hash=(\w+)$/.exec(address)?.[1]
      const answer = await call('GET', address)
      expect(answer.headers).toMatchObject({ etag: `"${hash}"`, 'cache-control': 'public, immutable' })
      const { components } = answer.json as Document
      expect(components.schemas['io.k8s.api.apps.v1.Deployment']).toMatchObject({
        'x-kubernetes-group-version-kind': [{ group: 'apps', kind: 'Deployment', version: 'v1' }],
      })
      const again = await call('GET', address, undefined, { 'if-none-match': `"${hash}"` })
      expect([again.status, again.text]).toEqual([304, ''])
      const old = await call('GET', '/openapi/v3/apis/apps/v1?hash=old')
      expect([old.status, old.headers.location]).toEqual([301, address])
    }))

  it('F1: the document of a definition changes with it, and its address too', () =>
    withServer(async ({ call, sim }) => {
      const path = '/openapi/v3/apis/arcade.example.com/v1'
      expect((await call('GET', path)).status).toBe(404)
      await call('POST', definitions, gameDefinition())
      await sim.advance(2000)
      const address = async (): Promise<string> =>
        (await call('GET', '/openapi/v3')).json.paths['apis/arcade.example.com/v1']?.serverRelativeURL
      const before = await address()
      const document = (await call('GET', before)).json as Document
      expect(Object.keys(document.components.schemas).slice(0, 2)).toEqual([
        'com.example.arcade.v1.Game',
        'com.example.arcade.v1.GameList',
      ])
      expect(Object.keys(document.paths)).toContain('/apis/arcade.example.com/v1/namespaces/{namespace}/games/{name}')
      const schema = { openAPIV3Schema: { type: 'object', description: 'new' } }
      const versions = [{ name: 'v1', served: true, storage: true, schema }]
      await call('PATCH', `${definitions}/games.arcade.example.com`, { spec: { versions } }, merge)
      await sim.advance(2000)
      expect(await address()).not.toBe(before)
      await call('DELETE', `${definitions}/games.arcade.example.com`)
      await sim.advance(2000)
      expect(await address()).toBe(undefined)
    }))

  it('F1: OpenAPI v2 has every kind and path in one document, in JSON and in protobuf', () =>
    withServer(async ({ call, sim }) => {
      await call('POST', definitions, gameDefinition())
      await sim.advance(2000)
      const { json: document, headers } = await call('GET', '/openapi/v2')
      expect(document.swagger).toBe('2.0')
      expect(document.definitions['com.example.arcade.v1.Game']).toEqual({
        'x-kubernetes-preserve-unknown-fields': true,
        'x-kubernetes-group-version-kind': [{ group: 'arcade.example.com', kind: 'Game', version: 'v1' }],
      })
      const pod = document.definitions['io.k8s.api.core.v1.Pod']
      expect(pod['x-kubernetes-group-version-kind']).toEqual([{ group: '', kind: 'Pod', version: 'v1' }])
      expect(pod.properties.spec).toEqual({
        $ref: '#/definitions/io.k8s.api.core.v1.PodSpec',
        description: expect.any(String),
      })
      const { patch } = document.paths['/api/v1/namespaces/{namespace}/pods/{name}']
      expect(patch.parameters[0].$ref).toMatch(/^#\/parameters\/body-/)
      expect(patch.parameters[1]).toMatchObject({ name: 'dryRun', in: 'query', type: 'string' })
      const [, shared] = patch.parameters[2].$ref.split('#/parameters/')
      expect(document.parameters[shared]).toMatchObject({ name: 'fieldManager', in: 'query', type: 'string' })
      expect(patch.responses['200'].schema).toEqual({ $ref: '#/definitions/io.k8s.api.core.v1.Pod' })
      expect(document.definitions['io.k8s.api.core.v1.ServicePort'].properties.port.default).toBe(undefined)
      const mentions = JSON.stringify(document).includes('#/components')
      expect(mentions).toBe(false)
      const again = await call('GET', '/openapi/v2', undefined, { 'if-none-match': String(headers.etag) })
      expect(again.status).toBe(304)
      const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'
      const encoded = await call('GET', '/openapi/v2', undefined, { accept })
      expect([encoded.status, encoded.headers['content-type']]).toEqual([200, accept.replace('@', '.')])
      expect(encoded.text).toContain('io.k8s.api.core.v1.PodSpec')
      expect((await call('GET', '/openapi/v2', undefined, { accept: 'text/html' })).status).toBe(406)
    }))
})
