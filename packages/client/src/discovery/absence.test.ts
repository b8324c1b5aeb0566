import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { refusal, type ScriptedAnswer, type SeenRequest, scripted } from '../verbs/scripted.fixture.ts'
import { type Absence, isBuiltIn } from './absence.ts'

const games = 'arcade.example.com/v1/games'
const name = 'games.arcade.example.com'

type Answers = Readonly<Record<string, ScriptedAnswer>>

/** A load balancer's page; what a real server says of a group that it does not know. */
const page: ScriptedAnswer = { status: 404, text: '<html>404</html>', headers: { 'content-type': 'text/html' } }
const unknown: ScriptedAnswer = { status: 404, text: '404 page not found\n' }

const definition = (version: object, scope = 'Namespaced'): ScriptedAnswer => ({
  body: { kind: 'CustomResourceDefinition', metadata: { name }, spec: { scope, versions: [version] } },
})
const notFound = (of = name): ScriptedAnswer => ({
  status: 404,
  body: { kind: 'Status', code: 404, reason: 'NotFound', details: { name: of, kind: 'customresourcedefinitions' } },
})
const groups = (...all: [group: string, version: string][]): ScriptedAnswer => ({
  body: {
    kind: 'APIGroupList',
    groups: all.map(([group, version]) => ({ name: group, versions: [{ version }], preferredVersion: { version } })),
  },
})
const list = (groupVersion: string, ...names: string[]): ScriptedAnswer => ({
  body: { kind: 'APIResourceList', groupVersion, resources: names.map(one => ({ name: one })) },
})

const definitionPath = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`
const listPath = '/apis/arcade.example.com/v1'
const gone: Answers = { [definitionPath]: notFound(), '/apis': groups(['apps', 'v1']) }
const hidden: Answers = { ...gone, [definitionPath]: refusal(403, 'Forbidden') }

const script = (answers: Answers) => scripted(({ path }: SeenRequest) => answers[path] ?? unknown)

async function proved(answers: Answers, resource = games, asked = {}): Promise<boolean | 'no answer'> {
  const { client, run } = script(answers)
  return run(async () => {
    const proof = client.raw.absence?.isProved(resource, asked)
    const answer = (await proof?.catch(() => 'no answer' as const)) ?? 'no answer'
    await client.close()
    return answer
  })
}

describe('that a resource is not served', () => {
  it.each<[string, Answers]>([
    ['its definition and its group are not there', gone],
    ['its definition and its version are not there', { ...gone, '/apis': groups(['arcade.example.com', 'v2']) }],
    [
      'its definition is not there, nor is it in the list of its version',
      { ...gone, '/apis': groups(['arcade.example.com', 'v1']), [listPath]: list('arcade.example.com/v1', 'scores') },
    ],
    ['its definition does not serve the version', { [definitionPath]: definition({ name: 'v1', served: false }) }],
    ['its definition lacks the version', { [definitionPath]: definition({ name: 'v2', served: true }) }],
    ['its definition may not be read, and its group is not there', hidden],
  ])('D8: is proved where %s', async (_, answers) => {
    expect(await proved(answers)).toBe(true)
  })

  it.each<[string, Answers]>([
    ['its definition serves it', { ...gone, [definitionPath]: definition({ name: 'v1', served: true }) }],
    ['what comes for its definition is a page', { ...gone, [definitionPath]: page }],
    ['what comes for its definition is plain text', { ...gone, [definitionPath]: unknown }],
    [
      'another definition is said not to be there',
      { ...gone, [definitionPath]: notFound('scores.arcade.example.com') },
    ],
    ['another definition comes', { ...gone, [definitionPath]: { body: { kind: 'Status', metadata: { name } } } }],
    [
      'its definition has no list of versions',
      { ...gone, [definitionPath]: { body: { kind: 'CustomResourceDefinition', metadata: { name }, spec: {} } } },
    ],
    ['the server fails', { ...gone, [definitionPath]: refusal(500, 'InternalError') }],
    ['the list of groups is a page', { ...gone, '/apis': page }],
    ['the list of groups is none', { ...gone, '/apis': { body: { kind: 'APIGroupList' } } }],
    ['the list of groups is something else', { ...gone, '/apis': { body: { kind: 'List', groups: [] } } }],
    ['the list of its version is a page', { ...gone, '/apis': groups(['arcade.example.com', 'v1']), [listPath]: page }],
    [
      'the list of its version is of another one',
      { ...gone, '/apis': groups(['arcade.example.com', 'v1']), [listPath]: list('arcade.example.com/v2') },
    ],
    [
      'an aggregated API has it, which has no definition',
      { ...gone, '/apis': groups(['arcade.example.com', 'v1']), [listPath]: list('arcade.example.com/v1', 'games') },
    ],
    [
      'its definition may not be read, and it is listed',
      { ...hidden, '/apis': groups(['arcade.example.com', 'v1']), [listPath]: list('arcade.example.com/v1', 'games') },
    ],
    ['each answer is a page', { [definitionPath]: page, '/apis': page, [listPath]: page }],
  ])('D8: is not proved where %s', async (_, answers) => {
    expect(await proved(answers)).not.toBe(true)
  })

  it.each<[string, Answers]>([
    [
      'its definition is cluster-scoped',
      { ...gone, [definitionPath]: definition({ name: 'v1', served: true }, 'Cluster') },
    ],
    [
      'its definition may not be read, and it is listed as cluster-scoped',
      {
        ...hidden,
        '/apis': groups(['arcade.example.com', 'v1']),
        [listPath]: {
          body: {
            kind: 'APIResourceList',
            groupVersion: 'arcade.example.com/v1',
            resources: [{ name: 'games', namespaced: false }],
          },
        },
      },
    ],
  ])('D8: is proved for one namespace where %s', async (_, answers) => {
    expect(await proved(answers, games, { isInNamespace: true })).toBe(true)
    expect(await proved(answers, games, { isInNamespace: false })).toBe(false)
  })

  it('D8: is never proved of Kubernetes’ own once there was a state of it, and nothing is asked', async () => {
    const { client, requests, run } = script({ '/api': { body: { kind: 'APIVersions', versions: [] } } })
    const isProved = (hasState: boolean) => client.raw.absence?.isProved('v1/secrets', { hasState })
    expect(await run(async () => isProved(true))).toBe(false)
    expect(requests).toEqual([])
    expect(await run(async () => isProved(false))).toBe(true)
    await run(() => client.close())
  })

  it('D8: is read once for all calls that come together, at most once a second, and never before a call', async () => {
    const answers: Record<string, ScriptedAnswer> = { ...gone }
    const { client, requests, run, advance } = script(answers)
    const ask = (): Promise<boolean> => client.raw.absence?.isProved(games) as Promise<boolean>
    expect(await run(() => Promise.all(Array.from({ length: 1000 }, ask)))).toEqual(Array(1000).fill(true))
    expect(requests).toHaveLength(2)
    answers[definitionPath] = definition({ name: 'v1', served: true })
    const later = Array.from({ length: 1000 }, ask)
    await advance(900)
    expect(requests).toHaveLength(2)
    expect(new Set(await run(() => Promise.all(later)))).toEqual(new Set([false]))
    expect(requests).toHaveLength(3)
    await run(() => client.close())
  })

  it('D8: nothing is kept of a resource that was asked about more than a second ago', async () => {
    const { client, run, advance } = scripted(({ path }: SeenRequest) => gone[path] ?? notFound(path.split('/').at(-1)))
    const absence = client.raw.absence as Absence
    for (let i = 0; i < 50; i++) {
      expect(await run(async () => absence.isProved(`arcade.example.com/v1/games${i}`))).toBe(true)
      if (i === 48) expect(absence.size).toBe(1)
      await advance(i < 48 ? 1_000 : 900)
    }
    expect(absence.size).toBe(2)
    await run(() => client.close())
  })

  it("D8: follows from the lists alone for Kubernetes' own", async () => {
    const { client, requests, run } = script({
      '/api': { body: { kind: 'APIVersions', versions: ['v1'] } },
      '/api/v1': list('v1', 'configmaps'),
      '/apis': groups(['apps', 'v1']),
      '/apis/apps/v1': list('apps/v1', 'deployments'),
    })
    const all = ['v1/configmaps', 'v1/secrets', 'apps/v1/deployments', 'resource.k8s.io/v1/resourceclaims']
    const answers = await run(() => Promise.all(all.map(one => client.raw.absence?.isProved(one))))
    expect(answers).toEqual([false, true, false, true])
    expect(requests.filter(({ path }) => path.includes('customresourcedefinitions'))).toEqual([])
    await run(() => client.close())
  })
})

it('D8: distinguishes Kubernetes’ own resources from those of definitions and aggregated APIs', () => {
  const folder = new URL('../resources/', import.meta.url)
  const modules = readdirSync(folder).filter(file => file.endsWith('.ts'))
  const text = modules.map(file => readFileSync(new URL(file, folder), 'utf8')).join('')
  const groups = new Set([...text.matchAll(/^ +group: '(.*)',$/gm)].map(([, group]) => group))
  expect(groups.size).toBeGreaterThan(15)
  for (const group of groups) expect(isBuiltIn(group === '' ? 'v1/x' : `${group}/v1/x`), group).toBe(true)
  for (const brought of [games, 'gateway.networking.k8s.io/v1/gateways', 'metrics.k8s.io/v1beta1/pods']) {
    expect(isBuiltIn(brought), brought).toBe(false)
  }
})
