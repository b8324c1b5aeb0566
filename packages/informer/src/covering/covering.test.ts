import { defineResource, type KubernetesObject, type View } from '@wherry/client'
import { keyText, selfNamed, systemEnvironment } from '@wherry/client/internal'
import { describe, expect, it } from 'vitest'
import type { Lister } from '../lister.ts'
import { Store } from '../store/store.ts'
import { coveredLister } from './covered-lister.ts'
import { covers } from './covers.ts'

const pods = defineResource<KubernetesObject>({
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  namespaced: true,
})
const nodes = defineResource<KubernetesObject>({ ...pods.resource, kind: 'Node', plural: 'nodes', namespaced: false })
const name = (object: KubernetesObject): unknown => object.metadata?.name
const named = pods.project('name', name)
const other = pods.project('name', object => object.metadata?.name)
const ready = (): View => pods.project(selfNamed('ready', (object: KubernetesObject) => object.kind))
const within = { namespaces: ['a', 'b'] }

describe('covers', () => {
  it.each<[string, View, View]>([
    ['itself', pods, pods],
    ['some of its namespaces', pods.within(within), pods.within({ namespaces: ['b'] })],
    ['namespaces where it has all', pods, pods.within(within)],
    ['labels where it has none', pods, pods.within({ labels: { app: 'x' } })],
    ['a name, which a key has', pods, pods.within({ fields: { 'metadata.name': 'x' } })],
    [
      'the same labels and fields',
      pods.within({ labels: 'a', fields: 'b=c' }),
      pods.within({ labels: 'a', fields: 'b=c' }),
    ],
    ['the same named projection', named, named.within(within)],
    ['a projection that names itself, made twice', ready(), ready()],
    ['metadata, by default', pods, pods.metadata()],
    ['metadata, being full', pods.full(), pods.metadata().within({ labels: 'a' })],
    ['labels of metadata', pods.metadata(), pods.metadata().within({ labels: 'a' })],
  ])('D13: %s', (_, wide, view) => {
    expect(covers(wide, view)).toBe(true)
  })

  it.each<[string, View, View]>([
    ['another resource', pods, nodes],
    ['another version', pods, defineResource({ ...pods.resource, namespaced: true, version: 'v2' })],
    ['another group', pods, defineResource({ ...pods.resource, namespaced: true, group: 'g' })],
    ['more namespaces', pods.within({ namespaces: ['a'] }), pods.within(within)],
    ['all namespaces', pods.within(within), pods],
    ['other labels', pods.within({ labels: 'a' }), pods.within({ labels: 'b' })],
    ['more labels', pods.within({ labels: 'a' }), pods],
    ['labels of what may not have them', named, named.within({ labels: 'a' })],
    ['fields that only the server knows', pods, pods.within({ fields: { 'status.phase': 'x' } })],
    ['other fields', pods.within({ fields: 'a=b' }), pods],
    ['full objects, by default', pods, pods.full()],
    ['default objects, being full', pods.full(), pods],
    ['whole objects, of metadata', pods.metadata(), pods],
    ['metadata, of a projection', named, pods.metadata()],
    ['another function of that name', named, other],
    ['another projection', named, ready()],
  ])('D13: not %s', (_, wide, view) => {
    expect(covers(wide, view)).toBe(false)
  })
})

/** `null`: could not be transformed. */
function listing(objects: Readonly<Record<string, KubernetesObject | null>>): Lister<KubernetesObject> {
  const get = (key: unknown): KubernetesObject | undefined => {
    const found = objects[typeof key === 'string' ? key : keyText(key as { name: string })]
    if (found === null) throw new Error('failed')
    return found
  }
  return {
    get,
    list({ namespace, labels } = {}) {
      const text = `${labels ?? ''}`
      return Object.values(objects).filter(
        (object): object is KubernetesObject =>
          object !== null &&
          (namespace === undefined || object.metadata?.namespace === namespace) &&
          text.split(',').every(one => one === '' || object.metadata?.labels?.[one] !== undefined),
      )
    },
    keys: () => Object.keys(objects).values(),
    get size() {
      return Object.keys(objects).length
    },
    failed: () => Object.keys(objects).filter(key => objects[key] === null),
    version: key => (typeof key === 'string' && key in objects ? { uid: `${key}!`, resourceVersion: '1' } : undefined),
  }
}

const pod = (namespace: string, name: string, labels: Record<string, string> = {}): KubernetesObject => ({
  kind: 'Pod',
  metadata: { namespace, name, labels },
})

describe('a covered lister', () => {
  const lister = listing({
    'a/x': pod('a', 'x', { app: '', web: '' }),
    'a/y': pod('a', 'y', { app: '' }),
    'b/x': pod('b', 'x', { web: '' }),
    'b/z': null,
    'c/x': pod('c', 'x', { app: '' }),
  })
  const names = (objects: readonly KubernetesObject[]): string[] =>
    objects.map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`)

  it('D13: is as the wider one where nothing is narrower', () => {
    const same = coveredLister(pods, lister, pods)
    expect(same.get('a/x')).toBe(lister.get('a/x'))
    expect(same.list()).toEqual(lister.list())
    expect(same.size).toBe(5)
    expect(same.failed()).toEqual(['b/z'])
    expect([...same.keys()]).toEqual([...lister.keys()])
  })

  it("D13: applies the view's namespaces on read", () => {
    const view = coveredLister(pods, lister, pods.within(within))
    expect(names(view.list())).toEqual(['a/x', 'a/y', 'b/x'])
    expect(names(view.list({ namespace: 'a' }))).toEqual(['a/x', 'a/y'])
    expect(view.list({ namespace: 'c' })).toEqual([])
    expect(view.get({ namespace: 'b', name: 'x' })).toBe(lister.get('b/x'))
    expect(view.get('c/x')).toBeUndefined()
    expect([...view.keys()]).toEqual(['a/x', 'a/y', 'b/x', 'b/z'])
    expect(view.size).toBe(4)
    expect(view.failed()).toEqual(['b/z'])
    expect(view.version('a/x')).toEqual({ uid: 'a/x!', resourceVersion: '1' })
    expect(view.version('c/x')).toBeUndefined()
  })

  it("D13: applies the view's labels on read, in addition to those that are asked for", () => {
    const view = coveredLister(pods, lister, pods.within({ labels: 'app' }))
    expect(names(view.list())).toEqual(['a/x', 'a/y', 'c/x'])
    expect(names(view.list({ labels: 'web' }))).toEqual(['a/x'])
    expect(view.get('b/x')).toBeUndefined()
    expect(view.get('a/y')).toBe(lister.get('a/y'))
    expect(() => view.get('b/z')).toThrow('failed')
    expect([...view.keys()]).toEqual(['a/x', 'a/y', 'b/z', 'c/x'])
    expect(view.size).toBe(4)
    expect(view.version('b/x')).toBeUndefined()
  })

  it('D13: finds a name and a namespace in the key', () => {
    const one = coveredLister(pods, lister, pods.within({ fields: { 'metadata.name': 'x' } }))
    expect(names(one.list())).toEqual(['a/x', 'b/x', 'c/x'])
    expect(one.get('a/y')).toBeUndefined()
    expect(one.failed()).toEqual([])
    const others = coveredLister(pods, lister, pods.within({ fields: 'metadata.name!=x,metadata.namespace=a' }))
    expect(names(others.list())).toEqual(['a/y'])
    expect(others.size).toBe(1)
  })

  it('D13: does not name a failed object that has an earlier value outside of the view', () => {
    const transform = (object: object): KubernetesObject => {
      if ('bad' in object) throw new Error('bad')
      return object
    }
    const store = new Store({ view: pods, environment: systemEnvironment(), transform })
    const writer = store.writer()
    const pod = (resourceVersion: string, more = {}): object => ({
      metadata: { namespace: 'a', name: 'x', uid: 'u', resourceVersion, labels: { app: 'web' } },
      ...more,
    })
    writer.replace().commit('1')
    writer.change('ADDED', pod('2'), 100)
    writer.change('MODIFIED', pod('3', { bad: true }), 100)
    const failed = (app: string): readonly string[] =>
      coveredLister(pods, store, pods.within({ labels: { app } })).failed()
    expect([failed('web'), failed('api')]).toEqual([['a/x'], []])
  })

  it('D13: gives the metadata of whole objects', () => {
    const view = coveredLister(pods, lister, pods.metadata().within({ namespaces: ['a'] }))
    expect(view.get('a/y')).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'a', name: 'y', labels: { app: '' } },
    })
    expect(view.list()).toHaveLength(2)
  })

  it('reads names of cluster-scoped objects', () => {
    const views = coveredLister(
      nodes,
      listing({ n: { metadata: { name: 'n' } } }),
      nodes.within({ fields: 'metadata.name=n' }),
    )
    expect(views.list()).toEqual([{ metadata: { name: 'n' } }])
    expect(views.get({ name: 'n' })).toEqual({ metadata: { name: 'n' } })
  })

  it.each<[string, unknown]>([
    ['a name without its namespace', { name: 'x' }],
    ['such a text', 'x'],
    ['an empty name', { name: '', namespace: 'a' }],
    ['a path', 'c/..'],
    ['nothing', undefined],
  ])('X1: refuses what can be no key, as a store of its own would: %s', (_, key) => {
    const lister = new Store({ view: pods, environment: systemEnvironment() })
    const views = [pods.within({ namespaces: ['a'] }), pods.within({ labels: 'app' }), pods.metadata()]
    for (const covered of views.map(view => coveredLister(pods, lister, view as View<unknown, 'namespaced'>))) {
      const refused = expect.objectContaining({ code: 'INVALID_NAME' })
      expect(() => covered.get(key as string)).toThrow(refused)
      expect(() => covered.version(key as string)).toThrow(refused)
    }
  })

  it('is refused of a view that does not cover', () => {
    expect(() => coveredLister(pods.metadata(), lister, pods)).toThrow(RangeError)
  })
})
