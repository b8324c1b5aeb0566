import type { KubernetesObject, PartialObjectMetadata, Whole } from '@wherry/client'
import { describe, expect, it } from 'vitest'
import { readHashes, writeHashes } from '../annotations/hashes-annotation.ts'
import { hashesAnnotation } from '../annotations/key.ts'
import { hashParts, type Parts, parts } from '../parts/parts.ts'
import { specPart } from '../parts/spec-part.ts'
import { statusPart } from '../parts/status-part.ts'
import { Claims } from './claims.ts'
import { Fixpoints } from './fixpoints.ts'
import type { WantedCopy } from './source.ts'

interface Thing extends KubernetesObject {
  spec?: object
  status?: object
}

const both: Parts<object> = parts({ spec: specPart({ annotations: ['counts'] }), status: statusPart })
const desired: Thing = {
  metadata: { namespace: 'a', name: 'x', labels: { app: 'web' }, annotations: { counts: '1' } },
  spec: { n: 1 },
  status: { phase: 'Ready' },
}
const copy: WantedCopy<Thing> = {
  at: { namespace: 'a', name: 'x' },
  wanted: hashParts(desired, both),
  object: () => desired as Whole<Thing>,
}
const with_ = (metadata: object, rest: object = {}): Thing => {
  const { metadata: held, ...content } = writeHashes(desired, copy.wanted, { generation: 4 })
  return { ...content, metadata: { ...held, uid: 'u', resourceVersion: '10', generation: 4, ...metadata }, ...rest }
}
const metadataOf = (thing: Thing): PartialObjectMetadata => thing as unknown as PartialObjectMetadata
const refuses = (): boolean => false
const made = (): {
  readonly claims: Claims<Thing>
  readonly holds: (thing: Thing) => boolean
  fixpoints: Fixpoints
} => {
  const claims = new Claims<Thing>(both)
  const fixpoints = new Fixpoints(8)
  return { claims, fixpoints, holds: thing => claims.hold(metadataOf(thing), copy, fixpoints) }
}

describe('Claims', () => {
  it('H3: hold where hashes and generation are those that were written, and what metadata shows is as wanted', () => {
    const { holds } = made()
    const annotations = with_({}).metadata?.annotations ?? {}
    expect(holds(with_({}))).toBe(true)
    expect(holds(with_({ generation: 5 }))).toBe(false)
    expect(holds(with_({ generation: undefined }))).toBe(true)
    expect(holds(with_({ labels: { app: 'api' } }))).toBe(false)
    expect(holds(with_({ labels: { app: 'web', more: 'x' } }))).toBe(false)
    expect(holds(with_({ labels: undefined }))).toBe(false)
    expect(holds(with_({ annotations: { ...annotations, counts: '2' } }))).toBe(false)
    expect(holds(with_({ annotations: { ...annotations, note: 'x' } }))).toBe(true)
    expect(holds(with_({ annotations: { counts: '1' } }))).toBe(false)
  })

  it('H3: hold only with a hash of each part that is wanted', () => {
    const { claims } = made()
    const without = (hashes: object): Thing => writeHashes(desired, hashes as never)
    const { spec, status } = copy.wanted
    expect(claims.areOn(without({ spec, status }), copy.wanted)).toBe(true)
    expect(claims.areOn(without({ spec }), copy.wanted)).toBe(false)
    expect(claims.areOn(without({ spec, status: 'v1:x' }), copy.wanted)).toBe(false)
    expect(claims.areOn(without({ spec }), { spec, status: undefined })).toBe(true)
    expect(claims.areOn(without({ spec, status }), { spec, status: undefined })).toBe(true)
    expect(claims.areOn(desired, copy.wanted)).toBe(false)
  })

  it('H6: take labels and annotations of what is as wanted for what the server makes of them', () => {
    const { claims, fixpoints, holds } = made()
    const hooked = with_({ labels: { app: 'web', hooked: 'x' } })
    expect(holds(hooked)).toBe(false)
    claims.learn(hooked, copy, fixpoints)
    expect([holds(hooked), holds(with_({})), holds(with_({ labels: { hooked: 'x' } }))]).toEqual([true, true, false])
  })

  it('H3: do not hold for a copy that somebody else changed, until a state as new as that was read', () => {
    const { claims, fixpoints, holds } = made()
    claims.suspect('a/x', '12')
    claims.suspect('a/y', '99')
    expect(holds(with_({}))).toBe(false)
    claims.learn(with_({ resourceVersion: '11' }), copy, fixpoints)
    expect(holds(with_({}))).toBe(false)
    claims.learn(with_({ resourceVersion: '12' }), copy, fixpoints)
    expect(holds(with_({}))).toBe(true)
    claims.suspect('a/x', '13')
    claims.forget('a/x')
    expect(holds(with_({}))).toBe(true)
    // What can't be compared was read after it was heard of.
    for (const unknown of [undefined, 'x']) {
      claims.suspect('a/x', unknown)
      expect(holds(with_({}))).toBe(false)
      claims.learn(with_({ resourceVersion: 'y' }), copy, fixpoints)
      expect(holds(with_({}))).toBe(true)
    }
  })

  it('H3: are of what a write makes of a copy: of its status only where that is there already', () => {
    const { claims } = made()
    const hashes = (object: Thing) => Object.keys(readHashes(object)?.hashes ?? {})
    const on = (held: Thing | undefined, accepts: (part: string, digest: string | undefined) => boolean = refuses) =>
      claims.on(copy, held, accepts) as Thing
    expect(hashes(on(undefined))).toEqual(['spec'])
    expect(hashes(on(with_({}, { status: { phase: 'Edited' } })))).toEqual(['spec'])
    expect(hashes(on(with_({}, { status: undefined })))).toEqual(['spec'])
    expect(hashes(on(with_({}, { spec: { n: 9 } })))).toEqual(['spec', 'status'])
    expect(hashes(on(with_({}, { status: { phase: 'Made' } }), part => part === 'status'))).toEqual(['spec', 'status'])
    expect(hashes(claims.onceMore(copy, with_({}, { status: {} })) as Thing)).toEqual(['spec', 'status'])
    expect(readHashes(on(undefined))?.hashes.spec).toBe(copy.wanted.spec)
    expect(desired.metadata?.annotations).toEqual({ counts: '1' })
    expect(on(undefined).metadata?.annotations).toEqual({ counts: '1', [hashesAnnotation]: expect.any(String) })
  })

  it('H3: are of the generation that a write makes: one more where it changes more than metadata and status', () => {
    const { claims } = made()
    const on = (held: Thing | undefined) => readHashes(claims.on(copy, held, refuses) as Thing)?.generation
    expect(on(undefined)).toBe(1)
    expect(on(with_({}, { spec: { n: 2 } }))).toBe(5)
    expect(on(with_({ labels: {} }, { status: {}, kind: 'Thing', apiVersion: 'v1' }))).toBe(4)
    expect(on(with_({}, { more: 'x' }))).toBe(5)
    expect(on(with_({ generation: undefined }, { spec: { n: 2 } }))).toBeUndefined()
    expect(readHashes(claims.onceMore(copy, with_({})) as Thing)?.generation).toBe(4)
  })

  it('H3: are of one more where annotations turned out to count, and no longer once they do not', () => {
    const { claims } = made()
    const next = () => readHashes(claims.onceMore(copy, with_({})) as Thing)?.generation
    claims.annotated(with_({}), with_({ generation: 5 }))
    expect(next()).toBe(5)
    expect(readHashes(claims.on(copy, with_({ labels: {} }), refuses) as Thing)?.generation).toBe(5)
    claims.annotated(with_({}), with_({ generation: 4 }))
    expect(next()).toBe(4)
  })

  it('H3: count a status that is no subresource as content', () => {
    const whole: Parts<object> = parts({ all: ({ status }: { status?: unknown }) => ({ status }) }) as Parts<object>
    const claims = new Claims<Thing>(whole)
    const wanted = { ...copy, wanted: hashParts(desired, whole) }
    const on = (held: Thing) => readHashes(claims.on(wanted, held, refuses) as Thing)?.generation
    expect([on(with_({})), on(with_({}, { status: {} }))]).toEqual([4, 5])
  })
})
