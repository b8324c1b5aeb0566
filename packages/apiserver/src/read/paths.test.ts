import { describe, expect, it } from 'vitest'
import { definitions, gameDefinition, withServer } from '../testkit/in-memory.ts'
import { compareVersions } from './discovery.ts'

describe('paths that name no resource', () => {
  it('F1: health, version and missing paths', () =>
    withServer(async ({ call }) => {
      for (const path of ['/healthz', '/livez', '/readyz', '/readyz/etcd', '/livez/log', '/readyz/informer-sync'])
        expect(await call('GET', path)).toMatchObject({ status: 200, text: 'ok' })
      expect((await call('GET', '/version')).json).toMatchObject({ major: '1', minor: '37' })
      for (const path of [
        '/nothing',
        '/livez/informer-sync',
        '/readyz/none',
        '/apis/none',
        '/apis/none/v1',
        '/apis/none/v1/things',
      ]) {
        expect(await call('GET', path)).toMatchObject({ status: 404, text: '404 page not found\n' })
      }
      // In a group that is built in, an unknown version is answered with a Status.
      for (const path of ['/api/v2', '/api/v2/pods', '/apis/apps/v9', '/apis/apps/v9/deployments']) {
        const { status, json } = await call('GET', path)
        expect([status, json.message]).toEqual([404, 'the server could not find the requested resource'])
      }
      const unknown = await call('GET', '/api/v1/nothings')
      expect([unknown.status, unknown.json.reason, unknown.json.details]).toEqual([404, 'NotFound', {}])
      for (const path of ['/apis//apps', '//api/v1'])
        expect((await call('PUT', path)).text).toBe('404 page not found\n')
      expect((await call('GET', '/api/v1/namespaces/default/configmaps/a%2Fb')).status).toBe(404)
      expect((await call('GET', '/api/v1/namespaces/default/configmaps/%zz')).status).toBe(400)
      expect((await call('GET', '/api/v1/namespaces/default/nodes')).status).toBe(404)
      expect((await call('GET', '/api/v1/configmaps/a')).status).toBe(404)
    }))

  it('F1: only the paths of versions check the method', () =>
    withServer(async ({ call }) => {
      const statuses = async (method: string, ...paths: string[]): Promise<number[]> =>
        Promise.all(paths.map(async path => (await call(method, path)).status))
      expect(await statuses('HEAD', '/version', '/api', '/api/v1', '/apis/apps/v1')).toEqual([405, 405, 405, 405])
      expect(await statuses('POST', '/healthz', '/apis', '/apis/apps', '/none')).toEqual([200, 200, 200, 404])
      expect(await statuses('DELETE', '/metrics')).toEqual([501])
    }))

  it('F1: discovery names groups, versions, resources with verbs and short names, and subresources', () =>
    withServer(async ({ call }) => {
      expect((await call('GET', '/api')).json).toMatchObject({ kind: 'APIVersions', versions: ['v1'] })
      const { json } = await call('GET', '/apis')
      const apps = json.groups.find((group: { name: string }) => group.name === 'apps')
      expect(apps.preferredVersion).toEqual({ groupVersion: 'apps/v1', version: 'v1' })
      const scaling = (await call('GET', '/apis/autoscaling')).json
      expect(scaling.versions.map(({ version }: { version: string }) => version)).toEqual(['v2', 'v1'])
      const core = (await call('GET', '/api/v1')).json
      const byName = (name: string): unknown => core.resources.find((one: { name: string }) => one.name === name)
      expect(byName('configmaps')).toMatchObject({
        kind: 'ConfigMap',
        namespaced: true,
        singularName: 'configmap',
        shortNames: ['cm'],
      })
      expect(byName('pods/status')).toMatchObject({ kind: 'Pod', namespaced: true })
    }))

  it('F1: the groups of definitions are in order behind the built-in ones, whenever they came', () =>
    withServer(async ({ call, sim }) => {
      for (const [group, version] of [
        ['zz.example.com', 'v1'],
        ['aa.example.com', 'v2'],
        ['mm.example.com', 'v1'],
      ]) {
        const definition = gameDefinition([{ name: version, served: true, storage: true }], { group })
        await call('POST', definitions, { ...definition, metadata: { name: `games.${group}` } })
      }
      await sim.advance(1000)
      const groups = (await call('GET', '/apis')).json.groups.map(({ name }: { name: string }) => name)
      expect(groups.slice(-3)).toEqual(['mm.example.com', 'zz.example.com', 'aa.example.com'])
    }))

  it('F1: aggregated discovery gives all groups in two answers', () =>
    withServer(async ({ call, sim }) => {
      await call('POST', definitions, gameDefinition())
      await sim.advance(1000)
      const accept = { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json' }
      const legacy = (await call('GET', '/api', undefined, accept)).json
      expect([legacy.kind, legacy.items.length, legacy.items[0].versions[0].version]).toEqual([
        'APIGroupDiscoveryList',
        1,
        'v1',
      ])
      const groups = (await call('GET', '/apis', undefined, accept)).json
      const arcade = groups.items.find(
        (item: { metadata: { name: string } }) => item.metadata.name === 'arcade.example.com',
      )
      expect(arcade.versions[0].resources[0]).toMatchObject({
        resource: 'games',
        scope: 'Namespaced',
        shortNames: ['gm'],
        responseKind: { group: 'arcade.example.com', version: 'v1', kind: 'Game' },
      })
    }))

  it('orders versions as Kubernetes does', () => {
    const versions = ['v1', 'v1alpha1', 'v2', 'v1beta2', 'foo1', 'v1beta1', 'v11', 'foo10']
    expect(versions.sort((a, b) => compareVersions(b, a))).toEqual([
      'v11',
      'v2',
      'v1',
      'v1beta2',
      'v1beta1',
      'v1alpha1',
      'foo1',
      'foo10',
    ])
  })
})
