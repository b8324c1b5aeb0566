import type { PartialObjectMetadata } from '@wherry/client'
import type { ConfigMap } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { writeHashes } from '../annotations/hashes-annotation.ts'
import { hashParts, type Parts, parts } from '../parts/parts.ts'
import { specPart } from '../parts/spec-part.ts'
import { statusPart } from '../parts/status-part.ts'
import { Claims } from './claims.ts'
import type { CopyInformer } from './copy-cache.ts'
import { Decider, type Decision } from './decision.ts'
import { keptCopies } from './kept-copy.ts'
import { copySetLabel, copySourceLabel, marked, sourceId } from './marks.ts'
import type { Observed } from './observed.ts'
import type { CopyReconcilerOptions } from './options.ts'
import { Sources } from './sources.ts'
import { settings } from './testkit/cluster.ts'

const both: Parts<object> = parts({ spec: specPart(), status: statusPart })
const id = sourceId('shared/s0')
const mark = { set: 'settings', id, key: 'shared/s0' }
const source = (data: Record<string, string> = { n: '0' }): ConfigMap => ({
  metadata: { namespace: 'shared', name: 's0' },
  data,
})

/** A copy as the server has it. */
const copy = (change: Partial<ConfigMap> = {}): ConfigMap => {
  const object = marked({ data: { n: '0' }, ...change }, mark, { namespace: 't', name: 's0' })
  return { ...object, metadata: { ...object.metadata, uid: 'u', resourceVersion: '7' } }
}
const [, keep] = keptCopies(both)

class Kept<C> implements CopyInformer<C> {
  state = 'watching'
  readonly lastSyncedResourceVersion = '9'
  readonly objects = new Map<string, C>()
  get size(): number {
    return this.objects.size
  }
  get(key: string): C | undefined {
    return this.objects.get(key)
  }
  keys(): IterableIterator<string> {
    return this.objects.keys()
  }
  async whenSynced(): Promise<void> {}
  addHandler() {
    return { whenSynced: async () => {}, remove: () => {} }
  }
}

interface Given {
  readonly namespace?: object | undefined
  readonly source?: ConfigMap | undefined
  readonly observed?: Observed<ConfigMap> | undefined
  readonly whole?: ConfigMap | undefined
  readonly missing?: boolean
  readonly isTarget?: boolean
  readonly claims?: Claims<ConfigMap>
  readonly options?: object
  readonly sameResource?: boolean
  readonly at?: readonly [namespace: string, name: string]
}

function decided(given: Given): Decision<ConfigMap, ConfigMap> {
  const options = { ...settings, parts: both, ...given.options } as unknown as CopyReconcilerOptions<
    ConfigMap,
    ConfigMap
  >
  const sources = new Sources(options)
  const informer = new Kept<ConfigMap>()
  if (given.missing) informer.state = 'missing'
  if (given.source) sources.heard('shared/s0', given.source, true)
  const [namespace, name] = given.at ?? ['t', 's0']
  const spaces = new Kept<PartialObjectMetadata>()
  const metadata = 'namespace' in given ? given.namespace : {}
  if (metadata) spaces.objects.set(namespace, { metadata } as PartialObjectMetadata)
  const copies = new Kept<Observed<ConfigMap>>()
  if (given.observed) copies.objects.set(`${namespace}/${name}`, given.observed)
  const decider = new Decider<ConfigMap, ConfigMap>({
    parts: both,
    isTarget: () => given.isTarget ?? true,
    sameResource: given.sameResource ?? false,
    sources,
    sourceInformer: informer,
    namespaces: spaces,
    copies,
    claims: given.claims,
  })
  return decider.decide(id, namespace, name, given.whole)
}

const nothing = (because: string) => ({ what: 'nothing', because })

describe('a decision', () => {
  it('H4: missing, differing in its parts, equal', () => {
    expect(decided({ source: source() })).toMatchObject({
      what: 'create',
      copy: { at: { namespace: 't', name: 's0' } },
    })
    for (const seen of [(object: ConfigMap) => object, (object: ConfigMap) => keep(object)]) {
      expect(decided({ source: source(), observed: seen(copy()) })).toEqual(nothing('equal'))
      expect(decided({ source: source({ n: '1' }), observed: seen(copy()) })).toMatchObject({
        what: 'write',
        differing: ['spec'],
        observed: { metadata: { namespace: 't', name: 's0', uid: 'u', resourceVersion: '7' } },
      })
    }
    const kept = decided({ source: source({ n: '1' }), observed: keep(copy()) })
    expect(kept).toMatchObject({ observed: { hashes: hashParts(copy(), both) } })
  })

  it('H2: a part that is not wanted is nobody’s difference, and one that is there no longer is one', () => {
    const withStatus = { ...copy(), status: { phase: 'x' } } as ConfigMap
    expect(decided({ source: source(), observed: withStatus })).toEqual(nothing('equal'))
    const build = ({ data }: ConfigMap) => ({ data, status: { phase: 'Copied' } })
    expect(decided({ source: source(), observed: withStatus, options: { build } })).toMatchObject({
      what: 'write',
      differing: ['status'],
    })
    expect(decided({ source: source(), observed: copy(), options: { build } })).toMatchObject({ differing: ['status'] })
  })

  it('H4: nothing in a namespace that goes, or is not known', () => {
    const deletionTimestamp = '2026-01-01T00:00:00Z'
    expect(decided({ source: source(), namespace: { deletionTimestamp } })).toEqual(nothing('unwanted'))
    expect(decided({ observed: copy(), namespace: { deletionTimestamp } })).toEqual(nothing('unwanted'))
    expect(decided({ source: source(), namespace: undefined })).toEqual(nothing('unwanted'))
    expect(decided({ source: source(), observed: copy(), namespace: undefined })).toEqual(nothing('unplaced'))
  })

  it('H5: what is no longer wanted is deleted as it was observed, unless it is another source’s', () => {
    const gone = { what: 'delete', uid: 'u', resourceVersion: '7' }
    for (const observed of [copy(), keep(copy())]) {
      expect(decided({ observed })).toEqual(gone)
      expect(decided({ source: source(), observed, isTarget: false })).toEqual(gone)
      expect(decided({ source: source(), observed, options: { build: () => undefined } })).toEqual(gone)
      expect(decided({ source: source(), observed, options: { copyName: () => 'other' } })).toEqual(gone)
      expect(decided({ observed, missing: true })).toEqual(nothing('unwanted'))
    }
    expect(decided({})).toEqual(nothing('unwanted'))
    const labels = { [copySetLabel]: 'settings', [copySourceLabel]: 'another' }
    expect(decided({ observed: { metadata: { labels } } })).toEqual(nothing('unwanted'))
  })

  it('is never of a source itself, and of one of its name in another resource', () => {
    const at = ['shared', 's0'] as const
    expect(decided({ source: source(), at, sameResource: true })).toEqual(nothing('unwanted'))
    expect(decided({ source: source(), at })).toMatchObject({ what: 'create' })
    expect(decided({ source: source(), sameResource: true })).toMatchObject({ what: 'create' })
  })

  it('H5: what has not both marks is to be looked at first', () => {
    const of = (labels: Record<string, string>) =>
      decided({ source: source(), observed: { ...copy(), metadata: { ...copy().metadata, labels } } }).what
    expect(of({ [copySetLabel]: 'settings', [copySourceLabel]: id })).toBe('nothing')
    expect(of({ [copySourceLabel]: id })).toBe('claim')
    expect(of({ [copySetLabel]: 'settings', [copySourceLabel]: 'another' })).toBe('write')
    const bare = { ...copy(), metadata: { labels: { [copySetLabel]: 'settings', [copySourceLabel]: 'another' } } }
    expect(decided({ source: source(), observed: bare }).what).toBe('claim')
  })

  it('H3: by metadata it is equal, or to be read; by the whole of it also to be annotated', () => {
    const claims = () => new Claims<ConfigMap>(both)
    const annotated = writeHashes(copy(), hashParts(copy(), both))
    const metadata = ({ metadata: of }: ConfigMap) => ({ metadata: of }) as PartialObjectMetadata
    const by = (object: ConfigMap, whole?: ConfigMap) =>
      decided({ source: source(), observed: metadata(object), claims: claims(), whole })
    expect(by(annotated)).toEqual(nothing('equal'))
    expect(by(copy())).toMatchObject({ what: 'read', copy: { at: { namespace: 't', name: 's0' } } })
    expect(by(copy(), copy())).toMatchObject({ what: 'annotate', observed: copy() })
    expect(by(copy(), annotated)).toEqual(nothing('equal'))
    const edited = { ...copy(), data: { n: 'x' } }
    expect(by(copy(), edited)).toMatchObject({ what: 'write', differing: ['spec'], observed: edited })
  })

  it('H3: a whole copy that is as wanted is no longer suspected of anything', () => {
    const claims = new Claims<ConfigMap>(both)
    const annotated = writeHashes(copy(), hashParts(copy(), both))
    const given = { source: source(), observed: { metadata: annotated.metadata } as PartialObjectMetadata, claims }
    claims.suspect('t/s0', '7')
    expect(decided(given).what).toBe('read')
    expect(decided({ ...given, whole: { ...annotated, data: { n: 'x' } } }).what).toBe('write')
    expect(decided(given).what).toBe('read')
    expect(decided({ ...given, whole: annotated })).toEqual(nothing('equal'))
    expect(decided(given)).toEqual(nothing('equal'))
  })
})
