import type { ConfigMap } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import type { Claims } from './claims.ts'
import { Hearing } from './hearing.ts'
import { keptCopies } from './kept-copy.ts'
import { marked, sourceId } from './marks.ts'
import { OwnWrites } from './own-writes.ts'
import { Sources } from './sources.ts'
import { content, settings } from './testkit/cluster.ts'
import { copyItem, namespaceItem, sourceItem } from './work-item.ts'

const key = 't/s0'
const at = { namespace: 't', name: 's0' }
const [, keep] = keptCopies(content)

/** A copy as it is kept. */
const copy = (resourceVersion: string, source = 'shared/s0') => {
  const object = marked<ConfigMap>({ data: {} }, { set: 'settings', id: sourceId(source), key: source }, at)
  return keep({ ...object, metadata: { ...object.metadata, uid: 'u', resourceVersion } })
}
const itemOf = (source: string): string => copyItem(sourceId(source), 't', 's0')

function made() {
  const queued: string[] = []
  const claimed: unknown[] = []
  const ownWrites = new OwnWrites()
  const sources = new Sources<ConfigMap, ConfigMap>({ ...settings } as never)
  const claims = {
    suspect: (...about: unknown[]) => claimed.push(['suspect', ...about]),
    forget: (about: string) => claimed.push(['forget', about]),
  } as unknown as Claims<ConfigMap>
  const hearing = new Hearing<ConfigMap, ConfigMap>({ ownWrites, claims }, sources, { add: item => queued.push(item) })
  const taken = (list: unknown[]) => list.splice(0)
  return { hearing, ownWrites, sources, queued: () => taken(queued), claimed: () => taken(claimed) }
}

describe('what is heard of a copy', () => {
  it('H7: queues that copy of its source, and nothing else', () => {
    const { hearing, queued } = made()
    hearing.copies.add(copy('1'), { key, isInInitialList: true })
    expect(queued()).toEqual([itemOf('shared/s0')])
    hearing.copies.update(copy('2'), copy('1'), { key })
    expect(queued()).toEqual([itemOf('shared/s0')])
    hearing.copies.delete(copy('2'), { key })
    expect(queued()).toEqual([itemOf('shared/s0')])
  })

  it('H7: queues it for the former source, too, where it says that it is of another now', () => {
    const { hearing, queued } = made()
    hearing.copies.update(copy('2', 'shared/s1'), copy('1'), { key })
    expect(queued().toSorted()).toEqual([itemOf('shared/s0'), itemOf('shared/s1')].toSorted())
  })

  it('queues nothing for what says of no source that it is its', () => {
    const { hearing, queued } = made()
    const bare = keep({ metadata: { ...at, uid: 'u', resourceVersion: '1' }, data: {} })
    hearing.copies.add(bare, { key, isInInitialList: true })
    hearing.copies.delete(bare, { key })
    hearing.lookAt(key, undefined)
    expect(queued()).toEqual([])
  })

  it('H3: suspects it where it changed, and not by a write of our own', () => {
    const { hearing, ownWrites, claimed } = made()
    hearing.copies.add(copy('1'), { key, isInInitialList: true })
    hearing.copies.update(copy('1'), copy('1'), { key })
    expect(claimed()).toEqual([])
    hearing.copies.update(copy('2'), copy('1'), { key })
    hearing.copies.add(copy('3'), { key, isInInitialList: false })
    expect(claimed()).toEqual([
      ['suspect', key, '2'],
      ['suspect', key, '3'],
    ])
    ownWrites.wrote(key, '5', '3', 0)
    hearing.copies.update(copy('4'), copy('3'), { key })
    expect(ownWrites.isUnseen(key, '4', 1)).toBe(true)
    hearing.copies.update(copy('5'), copy('4'), { key })
    expect(ownWrites.isUnseen(key, '4', 1)).toBe(false)
    expect(claimed()).toEqual([])
    hearing.copies.update(copy('6'), copy('5'), { key })
    expect(claimed()).toEqual([['suspect', key, '6']])
  })

  it('H6: forgets what was known of it once it is gone', () => {
    const { hearing, ownWrites, sources, claimed, queued } = made()
    hearing.sources.add({ data: {} }, { key: 'shared/s0', isInInitialList: false })
    const fixpoints = sources.get(sourceId('shared/s0'))?.fixpoints
    fixpoints?.learn('spec', 'w', 'common', 'other/s0')
    fixpoints?.learn('spec', 'w', 'own', key)
    ownWrites.wrote(key, '5', '3', 0)
    hearing.copies.delete(copy('4'), { key })
    expect(fixpoints?.accepts('spec', 'w', 'own', key)).toBe(false)
    expect(ownWrites.isUnseen(key, '3', 1)).toBe(false)
    expect(claimed()).toEqual([['forget', key]])
    queued()
    hearing.copies.delete(copy('4', 'shared/unknown'), { key })
    expect(queued()).toEqual([itemOf('shared/unknown')])
  })
})

describe('what is heard of a source', () => {
  it('H6, H7: queues the spread of it; it is cold as long as nothing was heard but what was there at first', () => {
    const { hearing, sources, queued } = made()
    const id = sourceId('shared/s0')
    hearing.sources.add({ data: {} }, { key: 'shared/s0', isInInitialList: true })
    expect([queued(), sources.get(id)?.isCold]).toEqual([[sourceItem(id)], true])
    hearing.sources.update({ data: { n: '1' } }, { data: {} }, { key: 'shared/s0' })
    expect([queued(), sources.get(id)?.isCold]).toEqual([[sourceItem(id)], false])
    expect(sources.get(id)?.current).toEqual({ data: { n: '1' } })
    hearing.sources.delete({ data: {} }, { key: 'shared/s0' })
    expect([queued(), sources.get(id)?.current]).toEqual([[sourceItem(id)], undefined])
  })

  it('queues nothing where one goes that was not known', () => {
    const { hearing, queued } = made()
    hearing.sources.delete({ data: {} }, { key: 'shared/s0' })
    expect(queued()).toEqual([])
  })
})

it('H7: what is heard of a namespace queues it, unless it has gone: its copies are told of one by one', () => {
  const { hearing, queued } = made()
  const namespace = { metadata: { name: 't' } } as never
  hearing.namespaces.add(namespace, { key: 't', isInInitialList: true })
  hearing.namespaces.update(namespace, namespace, { key: 't' })
  expect(queued()).toEqual([namespaceItem('t'), namespaceItem('t')])
  hearing.namespaces.delete(namespace, { key: 't' })
  expect(queued()).toEqual([])
})
