import { expect, it } from 'vitest'
import { isHashedObject } from '../ingest/hashed-object.ts'
import { observed } from '../ingest/observed.fixture.ts'
import { hashParts, parts } from '../parts/parts.ts'
import { specPart } from '../parts/spec-part.ts'
import { statusPart } from '../parts/status-part.ts'
import { KeptCopy, keptCopies } from './kept-copy.ts'
import { copySetLabel, copySourceLabel } from './marks.ts'

const both = parts({ spec: specPart(), status: statusPart })
const labels = { [copySetLabel]: 'set', [copySourceLabel]: 'id', app: 'web' }

it('H3: keeps uid and resourceVersion, and what equal copies of a source have alike once for all of them', () => {
  const [name, project] = keptCopies(both)
  expect(name).toBe('copies:spec,status')
  const a = project(observed({ labels, uid: 'u-1', resourceVersion: '1' }))
  const b = project(observed({ labels, uid: 'u-2', resourceVersion: '2', namespace: 'c' }))
  expect([a, b]).toEqual([new KeptCopy('u-1', '1', a.alike), new KeptCopy('u-2', '2', a.alike)])
  expect(a.alike).toBe(b.alike)
  expect(a.alike).toEqual({
    metadata: { labels: { [copySetLabel]: 'set', [copySourceLabel]: 'id' } },
    hashes: hashParts(observed({ labels }), both),
  })
})

it('H3: tells apart what is of another source, or differs in a part or in the lack of one', () => {
  const [, project] = keptCopies(both)
  const of = (change: object, rest: object = {}) => project(observed({ labels, ...change }, rest)).alike
  const all = [
    of({}),
    of({ labels: { ...labels, [copySourceLabel]: 'other' } }),
    of({ labels: { ...labels, [copySetLabel]: 'other' } }),
    of({ labels: {} }),
    of({}, { data: { k: 'w' } }),
    of({}, { status: { phase: 'x' } }),
  ]
  expect(new Set(all).size).toBe(all.length)
  expect(all[3]?.metadata.labels).toEqual({})
  expect(of({}, { data: { k: 'w' } }).metadata).toBe(all[0]?.metadata)
  expect(project({}).resourceVersion).toBe('')
  expect(project({}).uid).toBe('')
})

it('is compared and written as an object of which hashes are known', () => {
  const [, project] = keptCopies(both)
  const hashed = project(observed({ labels })).hashed({ namespace: 'n', name: 'a' })
  expect(isHashedObject(hashed)).toBe(true)
  expect(hashed).toEqual({
    metadata: {
      namespace: 'n',
      name: 'a',
      uid: 'u-1',
      resourceVersion: '7',
      generation: undefined,
      labels: { [copySetLabel]: 'set', [copySourceLabel]: 'id' },
      ownerReferences: undefined,
    },
    hashes: hashParts(observed({ labels }), both),
  })
})
