import { hashAtIngest, parts, specPart } from '@wherry/hash-compare'
import { describe, expect, it } from 'vitest'
import {
  annotationsChanged,
  fieldsChanged,
  generationChanged,
  hashChanged,
  labelsChanged,
  resourceVersionChanged,
  specChanged,
  type WithMetadata,
} from './changed.ts'
import type { ObjectEvent } from './event.ts'
import { and, not, or, type Predicate } from './predicate.ts'

const update = <C>(old: C, object: C): ObjectEvent<C> => ({ type: 'update', key: 'a/b', object, old })
const added: ObjectEvent<WithMetadata> = { type: 'add', key: 'a/b', object: {}, isInInitialList: true }
const deleted: ObjectEvent<WithMetadata> = { type: 'delete', key: 'a/b', object: {}, finalStateUnknown: false }

describe('C4: what has changed', () => {
  it.each<[string, Predicate<ObjectEvent<WithMetadata>>, WithMetadata['metadata'], WithMetadata['metadata']]>([
    ['generation', generationChanged, { generation: 1 }, { generation: 2 }],
    ['resourceVersion', resourceVersionChanged, { resourceVersion: '1' }, { resourceVersion: '2' }],
    ['labels', labelsChanged, { labels: { a: '1' } }, { labels: { a: '2' } }],
    ['labels', labelsChanged, undefined, { labels: { a: '2' } }],
    ['labels', labelsChanged, { labels: { a: '1' } }, { labels: { b: '1' } }],
    ['labels', labelsChanged, { labels: { a: '1', b: '' } }, { labels: { a: '1' } }],
    ['annotations', annotationsChanged, { annotations: { a: '1' } }, { annotations: { a: '2' } }],
  ])('%s', (_, predicate, before, after) => {
    expect(predicate(update({ metadata: before }, { metadata: after }))).toBe(true)
    const others = { generation: 7, resourceVersion: '7', labels: { x: 'y' }, annotations: { x: 'y' } }
    const same = (metadata: object): WithMetadata => ({ metadata: { ...others, ...metadata } })
    expect(predicate(update(same(before ?? {}), same(before ?? {})))).toBe(false)
    expect([predicate(added), predicate(deleted)]).toEqual([true, true])
  })

  it.each([generationChanged, resourceVersionChanged])(
    'B4: what a conversion has changed without a new version: %o',
    predicate => {
      const at = (spec: object, resourceVersion?: string): WithMetadata =>
        ({
          metadata: { generation: 1, ...(resourceVersion !== undefined && { resourceVersion }) },
          spec,
        }) as WithMetadata
      expect(predicate(update(at({}, '7'), at({ players: 2 }, '7')))).toBe(true)
      const one = at({}, '7')
      expect(predicate(update(one, one))).toBe(false)
      // Nothing says that these are the same version.
      expect(predicate(update(at({}), at({ players: 2 })))).toBe(false)
    },
  )

  it('what functions select, compared by value', () => {
    interface Scaled {
      spec: { replicas?: number; ports?: { port: number }[]; image?: string }
    }
    const predicate = fieldsChanged<Scaled>(
      ({ spec }) => spec.replicas,
      ({ spec }) => spec.ports,
    )
    const one: Scaled = { spec: { replicas: 1, ports: [{ port: 80 }], image: 'a' } }
    const passes = (spec: Scaled['spec']): boolean => predicate(update(one, { spec: { ...one.spec, ...spec } }))
    expect([passes({ replicas: 2 }), passes({ ports: [{ port: 81 }] }), passes({ ports: [] })]).toEqual([
      true,
      true,
      true,
    ])
    expect([passes({}), passes({ image: 'b' }), passes({ ports: [{ port: 80 }] })]).toEqual([false, false, false])
    expect([predicate({ ...added, object: one }), predicate({ ...deleted, object: one })]).toEqual([true, true])
    expect(specChanged(update<object>(one, { ...one, status: { ready: 1 } }))).toBe(false)
    expect(specChanged(update<object>(one, { spec: { replicas: 1 } }))).toBe(true)
    expect(() => fieldsChanged('spec.replicas' as never)).toThrow('fieldsChanged[0]')
  })

  it('X5: labels of odd names are data', () => {
    const odd = (text: string): WithMetadata => ({ metadata: { labels: JSON.parse(text) as Record<string, string> } })
    expect(labelsChanged(update(odd('{"__proto__":"x"}'), odd('{"__proto__":"y"}')))).toBe(true)
    expect(labelsChanged(update(odd('{"a":"x"}'), odd('{"constructor":"x"}')))).toBe(true)
  })

  it('a hash, of parts or as it was ingested', () => {
    const content = parts({ spec: specPart() })
    const [, ingest] = hashAtIngest(content)
    const [one, other] = [{ data: { a: '1' } }, { data: { a: '2' } }]
    const noted = { ...one, metadata: { annotations: { note: 'x' } } }
    expect(hashChanged(content)(update(one, other))).toBe(true)
    expect(hashChanged(content)(update<object>(one, noted))).toBe(false)
    expect(hashChanged()(update(ingest(one), ingest(other)))).toBe(true)
    expect(hashChanged()(update(ingest(one), ingest(noted)))).toBe(false)
  })
})

describe('C4: and, or, not', () => {
  const yes = (): boolean => true
  const no = (): boolean => false

  it('are what they say', () => {
    expect([and(yes, yes)(added), and(yes, no)(added), and()(added)]).toEqual([true, false, true])
    expect([or(no, yes)(added), or(no, no)(added), or()(added)]).toEqual([true, false, false])
    expect([not(yes)(added), not(no)(added)]).toEqual([false, true])
  })

  it('X6: take functions only', () => {
    for (const make of [() => and(1 as never), () => or('x' as never), () => not(undefined as never)]) {
      expect(make).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }))
    }
  })
})
