import { describe, expect, it } from 'vitest'
import { hashesAnnotation } from '../annotation-key.ts'
import { hash } from '../canonical/hash.ts'
import { compareParts } from '../parts/compare-parts.ts'
import { hashParts, parts } from '../parts/parts.ts'
import { specPart } from '../parts/spec-part.ts'
import { statusPart } from '../parts/status-part.ts'
import { readHashes, writeHashes } from './hashes-annotation.ts'

const both = parts({ spec: specPart({ annotations: () => true }), status: statusPart })
const game = { metadata: { name: 'a', generation: 1, annotations: { note: 'x' } }, spec: { players: 2 } }
const annotated = (text: string) => ({ metadata: { annotations: { [hashesAnnotation]: text } } })

describe('the annotation mode', () => {
  it('H3: gives back the hashes that were written, with tags and generation, and leaves the object as it was', () => {
    const hashes = hashParts(game, both)
    const written = writeHashes(game, hashes, { generation: 1 })
    expect(written).toEqual({
      ...game,
      metadata: {
        ...game.metadata,
        annotations: { note: 'x', [hashesAnnotation]: `{"generation":1,"hashes":{"spec":"${hashes.spec}"}}` },
      },
    })
    expect(game.metadata.annotations).toEqual({ note: 'x' })
    expect(readHashes(written)).toEqual({ hashes: { spec: hashes.spec }, generation: 1, outdated: false })
    expect(compareParts(hashes, readHashes(written)?.hashes as typeof hashes)).toEqual([])
    expect(hashParts(written, both)).toEqual(hashes)
  })

  it('H3: sees by the generation that the spec was changed, and can not see more than that', () => {
    const written = writeHashes(game, hashParts(game, both), { generation: 1 })
    const edited = (generation: number) => ({
      ...written,
      metadata: { ...written.metadata, generation },
      spec: { players: 3 },
    })
    expect(readHashes(edited(2))?.outdated).toBe(true)
    // The blind spot: content that has no generation.
    expect(readHashes(edited(1))?.outdated).toBe(false)
    // A resource without generations can not be outdated, whatever was written.
    expect(readHashes({ metadata: { ...written.metadata, generation: undefined } })?.outdated).toBe(false)
    const without = writeHashes(game, { spec: hash(1) })
    expect(readHashes(without)).toEqual({ hashes: { spec: hash(1) }, generation: undefined, outdated: false })
    expect(readHashes({ metadata: { ...without.metadata, generation: 9 } })?.outdated).toBe(false)
  })

  it('begins the metadata and the annotations of an object that has none', () => {
    const bare: { metadata?: { annotations?: Record<string, string> } } = {}
    expect(readHashes(writeHashes(bare, { a: hash(1) }))?.hashes).toEqual({ a: hash(1) })
    expect(bare).toEqual({})
  })

  it.each([
    '',
    'x',
    'null',
    '[]',
    '{}',
    '7',
    '{"hashes":null}',
    '{"hashes":["v1:a"]}',
    '{"hashes":{"spec":1}}',
    '{"hashes":{"spec":{}}}',
    '{"generation":"1","hashes":{"spec":"v1:a"}}',
    '{"generation":null,"hashes":{"spec":"v1:a"}}',
  ])('takes %j, of somebody else, for none', text => {
    expect(readHashes(annotated(text))).toBeUndefined()
  })

  it('finds none on an object without annotations', () => {
    expect(readHashes({})).toBeUndefined()
    expect(readHashes({ metadata: {} })).toBeUndefined()
    expect(readHashes({ metadata: { annotations: {} } })).toBeUndefined()
  })

  it('X5: a part named __proto__ is data, and changes no prototype', () => {
    const read = readHashes(annotated('{"hashes":{"__proto__":"v1:a"}}'))
    expect(Object.keys(read?.hashes ?? {})).toEqual(['__proto__'])
    expect(compareParts(read?.hashes ?? {}, {})).toEqual([{ part: '__proto__' }])
  })

  it('X6: refuses a generation that is none', () => {
    expect(() => writeHashes(game, {}, { generation: -1 })).toThrow(RangeError)
    expect(() => writeHashes(game, {}, { generation: '1' as never })).toThrow(TypeError)
    expect(() => writeHashes(game, {}, { key: 'x' } as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    )
  })
})
