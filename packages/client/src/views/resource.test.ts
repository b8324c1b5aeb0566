import { describe, expect, it } from 'vitest'
import { InvalidNameError } from '../errors/invalid-name.ts'
import { selfNamed } from './projection.ts'
import { projector } from './read.ts'
import { defineResource, type Within } from './resource.ts'

interface Game {
  apiVersion?: string
  kind?: string
  metadata?: { name?: string; managedFields?: unknown }
  spec?: { lives?: number }
}
const games = defineResource<Game>({ group: 'x.io', version: 'v1', kind: 'Game', plural: 'games', namespaced: true })
const worlds = defineResource<Game>({ group: '', version: 'v1', kind: 'World', plural: 'worlds', namespaced: false })

describe('views', () => {
  it('D1: have a key of group, version, resource, namespaces, selectors and projection', () => {
    expect(games.key).toBe('x.io/v1/games')
    expect(worlds.key).toBe('/v1/worlds')
    expect(games.full().key).toBe('x.io/v1/games?as=full')
    expect(games.exact().key).toBe('x.io/v1/games?as=exact')
    expect(games.metadata().key).toBe('x.io/v1/games?as=metadata')
    expect(games.project('pick:data,metadata.labels', game => game.spec).key).toBe(
      'x.io/v1/games?projection=pick:data,metadata.labels',
    )
    const view = games.within({ namespaces: ['b', 'a', 'b'], labels: 'x in (2,1)', fields: { 'metadata.name': 'n' } })
    expect(view.key).toBe('x.io/v1/games?namespaces=a,b&labels=x in (1,2)&fields=metadata.name=n')
  })

  it('D1: that are put together differently and say the same are the same', () => {
    const one = games
      .within({ namespaces: ['a'] })
      .within({ labels: { x: '1' } })
      .metadata()
    const two = games.metadata().within({ labels: { matchLabels: { x: '1' } }, namespaces: ['a'] })
    const three = games.within({ labels: 'x==1', namespaces: ['a', 'a'] }).metadata()
    expect(new Set([one.key, two.key, three.key]).size).toBe(1)
    const apart = [
      games,
      games.full(),
      games.project('full', game => game),
      games.project('as=full', game => game),
      worlds,
    ]
    expect(new Set(apart.map(({ key }) => key)).size).toBe(5)
  })

  it.each(['*', ' b', 'Team-A', 'a,b', 'a&labels=x', '-a', 'a-', 'a.b', 'a'.repeat(64)])(
    'X1: refuse a namespace that can not be, %j, which would select nothing',
    name => {
      expect(() => games.within({ namespaces: [name] })).toThrow(InvalidNameError)
      expect(() => games.within({ namespaces: ['a-1', 'a'.repeat(63)] })).not.toThrow()
    },
  )

  it.each(['Games', 'game s', '1games', 'games-'])('X1: are of no resource with the plural %j', plural => {
    expect(() => defineResource({ ...games.resource, namespaced: true, plural })).toThrow(InvalidNameError)
  })

  it('are defined by what discovery found, and by what another has', () => {
    const found = { singular: 'game', verbs: ['get'], shortNames: ['g'], categories: ['all'], subresources: ['status'] }
    const { resource } = defineResource<Game>({ ...games.resource, ...found, namespaced: true })
    expect(resource).toEqual(games.resource)
  })

  it('D1: within twice narrows', () => {
    const view = games.within({ namespaces: ['a', 'b'], labels: { x: '1' }, fields: 'metadata.name=n' })
    const narrower = view.within({ namespaces: ['b', 'c'], labels: '!y', fields: 'spec.a!=b' })
    expect(narrower.namespaces).toEqual(['b'])
    expect(narrower.labels.text).toBe('!y,x=1')
    expect(narrower.fields.text).toBe('metadata.name=n,spec.a!=b')
    expect(view.namespaces).toEqual(['a', 'b'])
    expect(narrower.within({}).key).toBe(narrower.key)
  })

  it.each<[string, () => unknown, ErrorConstructor | typeof InvalidNameError]>([
    ['no namespaces', () => games.within({ namespaces: [] }), RangeError],
    ['none in common', () => games.within({ namespaces: ['a'] }).within({ namespaces: ['b'] }), RangeError],
    [
      'namespaces of what has none',
      () => worlds.within({ namespaces: ['a'] } as unknown as Within<'cluster'>),
      RangeError,
    ],
    ['a namespace that is none', () => games.within({ namespaces: ['a/b'] }), InvalidNameError],
    ['one namespace, not in a list', () => games.within({ namespaces: 'a' as unknown as string[] }), TypeError],
    ['a label selector that does not parse', () => games.within({ labels: 'a b' }), RangeError],
    ['an unknown option', () => games.within({ label: 'a' } as unknown as Within<'namespaced'>), RangeError],
    ['nothing', () => games.within(null as unknown as Within<'namespaced'>), TypeError],
    ['a projection without a name', () => games.project('', game => game), TypeError],
    ['two projections at once', () => games.project(selfNamed('a', () => 1) as never, () => 1), TypeError],
    ['a function that does not name itself', () => games.project(game => game), TypeError],
    ['a projection that names itself with nothing', () => selfNamed('', () => 1), TypeError],
    [
      'a function that has another name',
      () =>
        selfNamed(
          'b',
          selfNamed('a', () => 1),
        ),
      RangeError,
    ],
    [
      'a frozen function to name itself',
      () =>
        selfNamed(
          'a',
          Object.freeze(() => 1),
        ),
      TypeError,
    ],
    ['what is no function to name itself', () => selfNamed('a', 1 as never), TypeError],
    ['a kind that is none', () => defineResource<Game>({ ...games.resource, kind: '', namespaced: true }), TypeError],
    ['no definition', () => defineResource<Game>(null as never), TypeError],
    ['an unknown field', () => defineResource<Game>({ ...games.resource, namespace: 'a' } as never), TypeError],
  ])('X6: refuse %s', (_, make, type) => {
    expect(make).toThrow(type as ErrorConstructor)
    expect(make).toThrow(expect.objectContaining({ code: expect.stringMatching(/^INVALID_/) }))
  })

  it('D1: take a ready-made projection with its name, which says that functions need not be compared', () => {
    const ready = games.project(selfNamed('spec', (game: Game) => game.spec))
    expect(ready.key).toBe('x.io/v1/games?projection=spec')
    expect(ready.projection.selfNamed).toBe(true)
    expect(ready.within({ labels: 'a' }).projection.selfNamed).toBe(true)
    expect(games.project('spec', game => game.spec).projection.selfNamed).toBeUndefined()
  })

  it('take a name that a function has already', () => {
    const spec = (game: Game): Game['spec'] => game.spec
    expect(selfNamed('spec', selfNamed('spec', spec))).toBe(spec)
  })
})

describe('projector', () => {
  const object = {
    apiVersion: 'x.io/v1',
    kind: 'Game',
    metadata: { name: 'a', managedFields: [1] },
    spec: { lives: 3 },
  }

  it('leaves managedFields out, but not of full and exact views, and changes no object', () => {
    const lean = { ...object, metadata: { name: 'a' } }
    const before = JSON.stringify(object)
    expect(projector(games)(object)).toEqual(lean)
    expect(projector(games.full())(object)).toBe(object)
    expect(projector(games.exact())(object)).toBe(object)
    expect(projector(games)(lean)).toBe(lean)
    expect(JSON.stringify(object)).toBe(before)
  })

  it('gives metadata of the resource’s own kind, whatever form it came in', () => {
    const meta = { apiVersion: 'x.io/v1', kind: 'Game', metadata: { name: 'a' } }
    const project = projector(games.metadata())
    expect(project(object)).toEqual(meta)
    expect(project({ ...object, apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' })).toEqual(meta)
    expect(project({})).toEqual({ ...meta, metadata: {} })
  })

  it('gives what a named projection builds', () => {
    expect(projector(games.project('lives', game => game.spec?.lives))(object)).toBe(3)
  })

  it('X5: keys such as __proto__ stay data', () => {
    const text = '{"metadata":{"__proto__":{"polluted":1},"managedFields":[]},"__proto__":{"polluted":1}}'
    for (const view of [games, games.full(), games.metadata()]) {
      const made = projector<unknown>(view)(JSON.parse(text)) as { metadata: object }
      expect(Object.getPrototypeOf(made)).toBe(Object.prototype)
      expect(Object.getPrototypeOf(made.metadata)).toBe(Object.prototype)
      expect(Object.hasOwn(made.metadata, '__proto__')).toBe(true)
    }
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })
})
