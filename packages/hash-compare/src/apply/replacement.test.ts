import { describe, expect, it } from 'vitest'
import { hashesAnnotation } from '../annotation-key.ts'
import { specPart } from '../parts/spec-part.ts'
import { statusPart } from '../parts/status-part.ts'
import { replacement } from './replacement.ts'

const now = { uid: 'u', resourceVersion: '7' }
const spec = specPart({ annotations: ['size'] })
const held = {
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: {
    name: 'a',
    uid: 'other',
    resourceVersion: '6',
    finalizers: ['f'],
    labels: { a: '1', b: '2' },
    annotations: { size: '1', note: 'x' },
  },
  spec: { old: true },
  more: 'old',
  status: { phase: 'On' },
}

describe('replacement', () => {
  it('is the desired object, with what others have on the metadata and the state that was observed', () => {
    const desired = { metadata: { name: 'a', labels: { a: '3' }, annotations: { mine: 'y' } }, spec: { new: true } }
    expect(replacement(desired, held, now, [spec, statusPart])).toEqual({
      metadata: {
        name: 'a',
        ...now,
        finalizers: ['f'],
        labels: { a: '3' },
        annotations: { note: 'x', mine: 'y' },
      },
      spec: { new: true },
    })
  })

  it('keeps labels and annotations that no part holds, and takes what the desired object says of the rest', () => {
    const desired = { metadata: { name: 'a', generateName: 'a-', ownerReferences: undefined, labels: { a: '3' } } }
    const { metadata } = replacement(desired, { metadata: { ...held.metadata, ownerReferences: [] } }, now, [
      { of: () => 1 },
      { of: () => 1, holds: (what, key) => what === 'labels' && key === 'b' },
    ])
    expect(metadata).toEqual({
      name: 'a',
      ...now,
      finalizers: ['f'],
      generateName: 'a-',
      ownerReferences: [],
      labels: { a: '3' },
      annotations: { size: '1', note: 'x' },
    })
  })

  it('adds finalizers to those that are there, but none where the object is being deleted', () => {
    const finalizers = (desired: string[], metadata: object) =>
      replacement({ metadata: { finalizers: desired } }, { metadata }, now, []).metadata?.finalizers
    expect(finalizers(['g', 'f'], { finalizers: ['e', 'f'] })).toEqual(['e', 'f', 'g'])
    expect(finalizers([], { finalizers: ['f'] })).toEqual(['f'])
    expect(finalizers(['f'], {})).toEqual(['f'])
    const deletionTimestamp = '2026-01-01T00:00:00Z'
    expect(finalizers(['g', 'f'], { finalizers: ['e'], deletionTimestamp })).toEqual(['e'])
    expect(finalizers(['g'], { deletionTimestamp })).toEqual([])
  })

  it('keeps the status where parts know no subresource of it, unless another is desired', () => {
    expect(replacement({}, held, now, [spec])).toMatchObject({ status: { phase: 'On' } })
    expect(replacement({ status: undefined } as object, held, now, [spec])).toMatchObject({ status: { phase: 'On' } })
    expect(replacement({ status: {} } as object, held, now, [spec])).toMatchObject({ status: {} })
    expect(replacement({}, held, now, [spec, statusPart])).not.toHaveProperty('status')
    expect(replacement({}, {}, now, [spec])).toEqual({ metadata: { ...now, labels: {}, annotations: {} } })
  })

  it('H3: keeps no hashes of what was there, and writes those that are given', () => {
    const annotations = { [hashesAnnotation]: 'old', note: 'x' }
    const written = (desired: object) => replacement(desired, { metadata: { annotations } }, now, [spec]).metadata
    expect(written({})?.annotations).toEqual({ note: 'x' })
    const given = { metadata: { annotations: { [hashesAnnotation]: 'new' } } }
    expect(written(given)?.annotations).toEqual({ note: 'x', [hashesAnnotation]: 'new' })
  })

  it('X5: labels and annotations named __proto__ are data', () => {
    const labels = JSON.parse('{"__proto__":"x"}') as Record<string, string>
    const kept = replacement({}, { metadata: { labels } }, now, [])
    expect(JSON.stringify(kept.metadata?.labels)).toBe('{"__proto__":"x"}')
    const given = replacement({ metadata: { annotations: labels } }, {}, now, [])
    expect(JSON.stringify(given.metadata?.annotations)).toBe('{"__proto__":"x"}')
  })
})
