import { describe, expect, it } from 'vitest'
import { refusal, type ScriptedAnswer, type SeenRequest, scripted } from '../verbs/scripted.fixture.ts'
import { readAggregated } from './document.ts'

const resource = (plural: string, kind: string, more: object = {}) => ({
  resource: plural,
  responseKind: { group: '', version: '', kind },
  scope: 'Namespaced',
  singularResource: kind.toLowerCase(),
  verbs: ['get', 'list'],
  ...more,
})
const aggregated = (...groups: [string, [string, object[]][]][]) => ({
  kind: 'APIGroupDiscoveryList',
  apiVersion: 'apidiscovery.k8s.io/v2',
  items: groups.map(([name, versions]) => ({
    metadata: { name },
    versions: versions.map(([version, resources]) => ({ version, resources })),
  })),
})
const core = aggregated(['', [['v1', [resource('configmaps', 'ConfigMap', { shortNames: ['cm'] })]]]])

function answers(groups: () => object): (request: SeenRequest) => ScriptedAnswer {
  return ({ path }) =>
    path === '/api' ? { body: core } : path === '/apis' ? { body: groups() } : refusal(404, 'NotFound')
}

describe('discovery', () => {
  it('asks for all in two documents, once, and remembers', async () => {
    const groups = aggregated([
      'apps',
      [
        [
          'v1',
          [
            resource('deployments', 'Deployment', {
              subresources: [{ subresource: 'scale' }, { subresource: 'status' }],
            }),
          ],
        ],
        ['v1beta1', [resource('deployments', 'Deployment'), resource('old', 'Old', { scope: 'Cluster' })]],
      ],
    ])
    const { client, requests, run } = scripted(answers(() => groups))
    await run(async () => {
      const deployment = await client.discover({ group: 'apps', kind: 'Deployment' })
      expect(deployment).toEqual({
        group: 'apps',
        version: 'v1',
        kind: 'Deployment',
        plural: 'deployments',
        namespaced: true,
        singular: 'deployment',
        verbs: ['get', 'list'],
        shortNames: [],
        categories: [],
        subresources: ['scale', 'status'],
      })
      expect((await client.discover({ group: 'apps', plural: 'deployments', version: 'v1beta1' }))?.version).toBe(
        'v1beta1',
      )
      expect(await client.discover({ group: 'apps', kind: 'Old' })).toMatchObject({
        version: 'v1beta1',
        namespaced: false,
      })
      expect((await client.discover({ group: '', plural: 'cm' }))?.kind).toBe('ConfigMap')
      expect((await client.discover({ group: '', plural: 'configmap' }))?.plural).toBe('configmaps')
      expect((await client.discoverAll()).map(({ plural }) => plural)).toEqual([
        'configmaps',
        'deployments',
        'deployments',
        'old',
      ])
      await client.close()
    })
    expect(requests.map(({ path }) => path)).toEqual(['/api', '/apis'])
    expect(requests[1]?.headers.accept).toMatch(
      /^application\/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,/,
    )
  })

  it('a miss is looked for again: once for all calls that come together, and at most once a second', async () => {
    let groups = aggregated()
    const { client, requests, run, now } = scripted(answers(() => groups))
    const asked = (): number => requests.filter(({ path }) => path === '/apis').length
    const games = { group: 'x.io', kind: 'Game' }
    await run(async () => {
      const many = Array.from({ length: 10 }, () => client.discover(games))
      expect(await Promise.all(many)).toEqual(Array(10).fill(undefined))
      expect(asked()).toBe(1)
      groups = aggregated(['x.io', [['v1', [resource('games', 'Game')]]]])
      const begun = now()
      const found = await Promise.all([client.discover(games), client.discover({ group: 'x.io', plural: 'games' })])
      expect(found.map(game => game?.plural)).toEqual(['games', 'games'])
      expect(asked()).toBe(2)
      expect(now() - begun).toBeGreaterThan(900)
      expect(await client.discover(games)).toBeDefined()
      expect(asked()).toBe(2)
      groups = aggregated()
      expect(await client.discover(games, { refresh: true })).toBeUndefined()
      expect(asked()).toBe(3)
      await client.close()
    })
  })

  it('a kind is found for a second at most after its definition was deleted, and five kinds in a row take two requests', async () => {
    const kinds = ['Game', 'Level', 'Player', 'Score', 'Team']
    let groups = aggregated(['x.io', [['v1', kinds.map(kind => resource(`${kind.toLowerCase()}s`, kind))]]])
    const { client, requests, run, advance } = scripted(answers(() => groups))
    await run(async () => {
      for (const kind of kinds) expect(await client.discover({ group: 'x.io', kind })).toBeDefined()
      expect(requests.map(({ path }) => path)).toEqual(['/api', '/apis'])
      groups = aggregated()
      await advance(1_000)
      expect(await client.discover({ group: 'x.io', kind: 'Game' })).toBeUndefined()
      expect((await client.discoverAll()).map(({ plural }) => plural)).toEqual(['configmaps'])
      await client.close()
    })
  })

  it('an answer is never older than the question: a call while one is under way waits for the next', async () => {
    let groups = aggregated()
    const { client, requests, run, advance } = scripted(answers(() => groups))
    await run(async () => {
      const first = client.discover({ group: 'x.io', kind: 'Game' })
      while (requests.length < 2) await advance(0.5)
      groups = aggregated(['x.io', [['v1', [resource('games', 'Game')]]]])
      const second = client.discover({ group: 'x.io', kind: 'Game' })
      expect(await first).toBeUndefined()
      expect(await second).toBeDefined()
      await client.close()
    })
  })

  it('X8: a caller that gives up does not end it for others, and closing ends it for all', async () => {
    const { client, run, environment, pending, advance } = scripted(answers(() => aggregated()))
    await run(async () => {
      await client.discover({ group: 'x.io', kind: 'Game' })
      const controller = new AbortController()
      const mine = client.discover({ group: 'x.io', kind: 'Game' }, { signal: controller.signal })
      const yours = client.discover({ group: 'x.io', kind: 'Game' })
      controller.abort('enough')
      await expect(mine).rejects.toBe('enough')
      await expect(yours).resolves.toBeUndefined()
      const last = client.discover({ group: 'x.io', kind: 'Game' })
      await Promise.all([expect(last).rejects.toMatchObject({ code: 'CLIENT_CLOSED' }), client.close()])
    })
    await advance(100)
    expect(pending()).toEqual([])
    expect(environment.errors).toEqual([])
  })

  it('reads the older form, group by group, and does without a group that is down', async () => {
    const documents: Record<string, object> = {
      '/api': { kind: 'APIVersions', versions: ['v1'] },
      '/apis': {
        kind: 'APIGroupList',
        groups: [
          {
            name: 'apps',
            preferredVersion: { version: 'v1' },
            versions: [{ version: 'v1beta1' }, { version: 'v1' }],
          },
          { name: 'down.io', versions: [{ version: 'v1' }] },
        ],
      },
      '/api/v1': {
        kind: 'APIResourceList',
        resources: [
          {
            name: 'configmaps',
            singularName: 'configmap',
            namespaced: true,
            kind: 'ConfigMap',
            verbs: ['get'],
            shortNames: ['cm'],
          },
        ],
      },
      '/apis/apps/v1': {
        kind: 'APIResourceList',
        resources: [
          {
            name: 'deployments',
            singularName: 'deployment',
            namespaced: true,
            kind: 'Deployment',
            verbs: ['get'],
            categories: ['all'],
          },
          { name: 'deployments/status', namespaced: true, kind: 'Deployment', verbs: ['get'] },
          {
            name: 'deployments/scale',
            namespaced: true,
            group: 'autoscaling',
            version: 'v1',
            kind: 'Scale',
            verbs: ['get'],
          },
        ],
      },
      '/apis/apps/v1beta1': { kind: 'APIResourceList', resources: [{ name: 'deployments', kind: 'Deployment' }] },
    }
    const { client, run } = scripted(({ path }) => {
      const body = documents[path]
      return body === undefined ? refusal(503, 'ServiceUnavailable') : { body }
    })
    await run(async () => {
      expect(await client.discover({ group: 'apps', kind: 'Deployment' })).toEqual({
        group: 'apps',
        version: 'v1',
        kind: 'Deployment',
        plural: 'deployments',
        namespaced: true,
        singular: 'deployment',
        verbs: ['get'],
        shortNames: [],
        categories: ['all'],
        subresources: ['status', 'scale'],
      })
      expect((await client.discover({ group: '', plural: 'cm' }))?.version).toBe('v1')
      await expect(client.discover({ group: 'down.io', kind: 'X' })).rejects.toMatchObject({ status: 503 })
      await client.close()
    })
  })

  it.each<[string, ScriptedAnswer]>([
    ['500', refusal(500, 'InternalError')],
    ['502, a page', { status: 502, text: '<html>' }],
    ['401', refusal(401, 'Unauthorized')],
    ['403', refusal(403, 'Forbidden')],
    ['429', refusal(429, 'TooManyRequests')],
    ['no JSON', { text: '<html>' }],
    ['no answer', 'hang'],
  ])('finds the other groups if one answers %s, and rejects for that one', async (_, answer) => {
    const documents: Record<string, ScriptedAnswer> = {
      '/api': { body: { kind: 'APIVersions', versions: [] } },
      '/apis': {
        body: {
          kind: 'APIGroupList',
          groups: ['apps', 'down.io'].map(name => ({ name, versions: [{ version: 'v1' }] })),
        },
      },
      '/apis/apps/v1': { body: { kind: 'APIResourceList', resources: [{ name: 'deployments', kind: 'Deployment' }] } },
      '/apis/down.io/v1': answer,
    }
    const { client, run, environment } = scripted(({ path }) => documents[path] as ScriptedAnswer)
    await run(async () => {
      expect((await client.discover({ group: 'apps', kind: 'Deployment' }))?.plural).toBe('deployments')
      expect(await client.discover({ group: 'apps', kind: 'Other' })).toBeUndefined()
      await expect(client.discover({ group: 'down.io', kind: 'X' })).rejects.toBeInstanceOf(Error)
      expect((await client.discoverAll()).map(({ plural }) => plural)).toEqual(['deployments'])
      expect(environment.warnings.map(({ message }) => message)[0]).toMatch(/down.io\/v1 can't be discovered: .+/)
      await client.close()
    })
  })

  it('rejects for a group if its server does not answer, as the aggregated form says', async () => {
    const groups = aggregated(['apps', [['v1', [resource('deployments', 'Deployment')]]]], ['down.io', [['v1', []]]])
    Object.assign(groups.items[1]?.versions[0] as object, { freshness: 'Stale' })
    const { client, run } = scripted(answers(() => groups))
    await run(async () => {
      expect((await client.discover({ group: 'apps', kind: 'Deployment' }))?.plural).toBe('deployments')
      const error = await client.discover({ group: 'down.io', kind: 'X' }).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ status: 503, message: expect.stringContaining('down.io/v1 does not answer') })
      await client.close()
    })
  })

  it('X9: a document of any shape is read as far as it goes', () => {
    const odd = {
      items: [null, 7, { metadata: null, versions: {} }, { versions: [{ resources: [null, { resource: 1 }, {}] }] }],
    }
    expect(readAggregated(odd)).toEqual([{ group: '', version: '', resources: [] }])
    expect(readAggregated({})).toEqual([])
  })
})
