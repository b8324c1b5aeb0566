import { describe, expect, it } from 'vitest'
import { hashesAnnotation } from '../annotation-key.ts'
import { hash } from '../canonical/hash.ts'
import { InexactIntegerError, NotJsonError } from '../errors.ts'
import { compareParts } from './compare-parts.ts'
import { hashParts, type Parts, parts } from './parts.ts'
import { specPart } from './spec-part.ts'
import { statusPart } from './status-part.ts'

interface Game {
  metadata?: {
    name?: string
    namespace?: string
    labels?: Record<string, string>
    annotations?: Record<string, string>
  }
  spec?: unknown
  status?: { phase?: string } | undefined
}

const game = (change: Partial<Game> = {}): Game => ({
  metadata: { name: 'chess', namespace: 'arcade', labels: { a: '1' }, annotations: { note: 'x' } },
  spec: { players: 2 },
  status: { phase: 'On' },
  ...change,
})
const both = parts({ spec: specPart(), status: statusPart })
const differing = <T extends object, N extends string>(of: Parts<T, N>, a: T, b: T): string[] =>
  compareParts(hashParts(a, of), hashParts(b, of)).map(({ part }) => part)

describe('specPart and statusPart', () => {
  it('H2: the spec part is name, labels and spec, the status part is the status', () => {
    expect(specPart().of(game())).toEqual({
      metadata: { name: 'chess', labels: { a: '1' }, annotations: {} },
      spec: { players: 2 },
    })
    expect(statusPart.of(game())).toEqual({ status: { phase: 'On' } })
    expect(statusPart.of({})).toBeUndefined()
    const meta = (change: object): Game => game({ metadata: { ...game().metadata, ...change } })
    expect(differing(both, game(), game())).toEqual([])
    expect(differing(both, game(), game({ spec: { players: 3 } }))).toEqual(['spec'])
    expect(differing(both, game(), game({ status: { phase: 'Off' } }))).toEqual(['status'])
    expect(differing(both, game(), game({ spec: {}, status: {} }))).toEqual(['spec', 'status'])
    expect(differing(both, game(), meta({ name: 'go' }))).toEqual(['spec'])
    expect(differing(both, game(), meta({ labels: { a: '1', b: '' } }))).toEqual(['spec'])
    expect(differing(both, game(), meta({ namespace: 'other', annotations: { y: 'z' }, uid: 'u' }))).toEqual([])
  })

  it('H2: of a resource without a spec all counts but its kind, metadata and status', () => {
    const configMap = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a' },
      data: { k: 'v' },
      immutable: true,
    }
    const { apiVersion: _, kind: __, ...bare } = configMap
    expect(specPart().of(configMap)).toEqual({
      metadata: { name: 'a', labels: {}, annotations: {} },
      data: { k: 'v' },
      immutable: true,
    })
    expect(differing(both, configMap, bare)).toEqual([])
    expect(differing(both, configMap, { ...configMap, data: { k: 'w' } })).toEqual(['spec'])
    expect(differing(both, configMap, { ...configMap, binaryData: { b: '' } })).toEqual(['spec'])
    expect(differing(both, configMap, { ...configMap, status: {} })).toEqual(['status'])
  })

  it('H2: annotations and labels count as their options say, by key or by function', () => {
    const listed = parts({ spec: specPart({ annotations: ['note', 'size'], labels: ['a'] }) })
    const chosen = parts({ spec: specPart({ annotations: key => key !== 'note', labels: key => key.startsWith('x') }) })
    const none = parts({ spec: specPart({ labels: [] }) })
    const changed = (labels: object, annotations: object): Game =>
      game({ metadata: { name: 'chess', labels: { a: '1', ...labels }, annotations: { note: 'x', ...annotations } } })
    const changes = [
      changed({ a: '2' }, {}),
      changed({ xy: '' }, {}),
      changed({}, { note: 'y' }),
      changed({}, { other: '' }),
    ]
    const noticed = (of: Parts<object, 'spec'>): boolean[] =>
      changes.map(each => differing(of, changed({}, {}), each).length > 0)
    expect(noticed(both as never)).toEqual([true, true, false, false])
    expect(noticed(listed)).toEqual([true, false, true, false])
    expect(noticed(chosen)).toEqual([false, true, false, true])
    expect(noticed(none)).toEqual([false, false, false, false])
  })

  it('no labels, empty labels and null are alike, and so with annotations and with no metadata', () => {
    const of = parts({ spec: specPart({ annotations: () => true, labels: () => true }) })
    for (const each of [of, both as Parts<object>]) {
      const digests = [{}, { labels: {} }, { labels: null, annotations: null }, { annotations: {} }].map(
        metadata => hashParts({ metadata, spec: 1 }, each).spec,
      )
      digests.push(hashParts({ spec: 1 }, each).spec, hashParts({ metadata: null, spec: 1 }, each).spec)
      expect(new Set(digests).size).toBe(1)
    }
  })

  it('the annotation that hashes are kept in is in no part', () => {
    const of = parts({ spec: specPart({ annotations: () => true }) })
    const with_ = game({ metadata: { annotations: { [hashesAnnotation]: 'x', note: 'y' } } })
    expect(differing(of, with_, game({ metadata: { annotations: { note: 'y' } } }))).toEqual([])
    expect(of.list[0]?.holds?.('annotations', hashesAnnotation)).toBe(false)
    expect(of.list[0]?.holds?.('annotations', 'note')).toBe(true)
  })

  it('X5: labels and annotations named __proto__ and constructor are data', () => {
    const of = parts({ spec: specPart({ annotations: ['__proto__', 'constructor'], labels: () => true }) })
    const strings = JSON.parse('{"__proto__":"x","constructor":"y"}') as Record<string, string>
    const object = game({ metadata: { labels: strings, annotations: strings } })
    expect(JSON.stringify(of.list[0]?.of(object))).toBe(
      '{"spec":{"players":2},"metadata":{"labels":{"__proto__":"x","constructor":"y"},"annotations":{"__proto__":"x","constructor":"y"}}}',
    )
    expect(differing(of, object, game({ metadata: { labels: { constructor: 'y' }, annotations: strings } }))).toEqual([
      'spec',
    ])
    expect(differing(of, game({ metadata: { annotations: {} } }), game({ metadata: {} }))).toEqual([])
  })
})

describe('parts', () => {
  it('X9: a function that returns a promise is an error, whether the promise rejects or not', async () => {
    for (const value of [Promise.resolve(), Promise.reject(new Error('no')), [{ a: Promise.reject(new Error('no')) }]])
      expect(() => hashParts({}, parts({ late: () => value }))).toThrow(NotJsonError)
    await new Promise(setImmediate)
  })

  it('H2: custom parts are functions of the object', () => {
    const custom = parts({
      players: ({ spec }: Game) => (spec as { players: number }).players,
      phase: { of: ({ status }: Game) => status?.phase, subresource: 'status' },
    })
    expect(custom.names).toEqual(['players', 'phase'])
    expect(hashParts(game(), custom)).toEqual({ players: hash(2), phase: hash('On') })
    expect(hashParts(game({ status: {} }), custom)).toEqual({ players: hash(2), phase: undefined })
    expect(differing(custom, game(), game({ spec: { players: 3, other: 1 } }))).toEqual(['players'])
    expect(differing(custom, game(), game({ status: {} }))).toEqual(['phase'])
    expect(custom.list[1]?.subresource).toBe('status')
  })

  it('makes records of one shape, with the parts as their own members', () => {
    const hashes = hashParts(game({ status: undefined }), both)
    expect(Object.entries(hashes)).toEqual([
      ['spec', expect.stringMatching(/^v1:/)],
      ['status', undefined],
    ])
  })

  it('H1, X11: an integer beyond 2^53 - 1 is an error with its path in the object, or exact if asked for', () => {
    const large = (players: number | bigint): Game => game({ spec: { players: [players] } })
    expect(() => hashParts(large(2 ** 53), both)).toThrow(InexactIntegerError)
    expect(() => hashParts(large(2 ** 53), both)).toThrow(expect.objectContaining({ path: '/spec/players/0' }))
    expect(() => hashParts(game({ status: { phase: (2 ** 60) as never } }), both)).toThrow(
      expect.objectContaining({ path: '/status/phase' }),
    )
    const exact = parts({ spec: specPart() }, { integers: 'bigint' })
    expect(differing(exact, large(2n ** 53n), large(2n ** 53n + 1n))).toEqual(['spec'])
    expect(differing(exact, large(5n), large(5))).toEqual([])
    expect(() => hashParts(large(5n), both)).toThrow(expect.objectContaining({ code: 'NOT_JSON' }))
  })

  it.each<[string, () => unknown, ErrorConstructor, string]>([
    ['no parts', () => parts({}), RangeError, 'parts'],
    ['nothing', () => parts(null as never), TypeError, 'parts'],
    ['text', () => parts('spec' as never), TypeError, 'parts'],
    ['a name with a space', () => parts({ 'a b': () => 1 }), RangeError, 'parts'],
    ['a name that begins with a digit', () => parts({ '1a': () => 1 }), RangeError, 'parts'],
    ['a name that is too long', () => parts({ ['a'.repeat(64)]: () => 1 }), RangeError, 'parts'],
    ['__proto__ as a name', () => parts({ ['__proto__']: () => 1 }), RangeError, 'parts'],
    ['a part that is none', () => parts({ a: 1 as never }), TypeError, 'parts.a'],
    ['a part that is undefined', () => parts({ a: undefined as never }), TypeError, 'parts.a'],
    ['a part without a function', () => parts({ a: {} as never }), TypeError, 'parts.a'],
    [
      'a part of another subresource',
      () => parts({ a: { of: () => 1, subresource: 'scale' as 'status' } }),
      RangeError,
      'parts.a.subresource',
    ],
    ['a part with more to it', () => parts({ a: { of: () => 1, name: 'x' } as never }), TypeError, 'parts.a.name'],
    [
      'other integers',
      () => parts({ a: () => 1 }, { integers: 'x' as 'number' }),
      RangeError,
      'parts.options.integers',
    ],
    ['labels that are no list', () => specPart({ labels: 'a' as never }), TypeError, 'specPart.labels'],
    [
      'annotations that are no text',
      () => specPart({ annotations: [1 as never] }),
      TypeError,
      'specPart.annotations[0]',
    ],
    ['an option that is none', () => specPart({ label: [] } as never), TypeError, 'specPart.label'],
  ])('X6: refuses %s', (_, make, type, option) => {
    expect(make).toThrow(type)
    expect(make).toThrow(expect.objectContaining({ code: 'INVALID_OPTION', option }))
  })

  it('takes names of up to 63 characters', () => {
    expect(parts({ ['a'.repeat(63)]: () => 1, 'A.b-c_9': () => 1 }).names).toHaveLength(2)
  })
})
