import type { Client } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { InexactIntegerError } from '../errors.ts'
import { hashParts, parts } from '../parts/parts.ts'
import { specPart } from '../parts/spec-part.ts'
import { statusPart } from '../parts/status-part.ts'
import { hashAtIngest } from './hash-at-ingest.ts'
import { isHashedObject } from './hashed-object.ts'
import { observed } from './observed.fixture.ts'

const both = parts({ spec: specPart(), status: statusPart })

describe('hashAtIngest', () => {
  it('keeps key, uid, resourceVersion, generation, owners and hashes, and nothing else', () => {
    const [name, project] = hashAtIngest(both)
    expect(name).toBe('hashes:spec,status')
    const kept = project(observed())
    expect(JSON.parse(JSON.stringify(kept))).toEqual({
      metadata: {
        namespace: 'b',
        name: 'a',
        uid: 'u-1',
        resourceVersion: '7',
        generation: 3,
        ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'parent', uid: 'u-0' }],
      },
      hashes: { spec: hashParts(observed(), both).spec },
    })
    expect(kept.hashes).toEqual(hashParts(observed(), both))
    expect([isHashedObject(kept), isHashedObject(JSON.parse(JSON.stringify(kept)))]).toEqual([true, true])
    for (const other of [
      observed(),
      observed({}, { hashes: {} }),
      {},
      { hashes: {} },
      { metadata: {} },
      { hashes: null, metadata: {} },
    ]) {
      expect(isHashedObject(other)).toBe(false)
    }
  })

  it('keeps the chosen labels, under a name that says so or that it is given', () => {
    const [name, project] = hashAtIngest(both, { labels: ['app', 'none', 'constructor'] })
    expect(name).toBe('hashes:spec,status;app,none,constructor')
    expect(project(observed()).metadata.labels).toEqual({ app: 'web' })
    expect(project(observed({ labels: undefined })).metadata.labels).toBeUndefined()
    expect(project(observed({ labels: {} })).metadata.labels).toEqual({})
    expect(hashAtIngest(both, { name: 'mine' })[0]).toBe('mine')
    const proto = JSON.parse('{"__proto__":"x"}') as object
    const [, other] = hashAtIngest(both, { labels: ['__proto__'] })
    expect(JSON.stringify(other(observed({ labels: proto })).metadata.labels)).toBe('{"__proto__":"x"}')
  })

  it('shares equal parts', () => {
    const [, project] = hashAtIngest(both, { labels: ['app'] })
    const again = (): object => JSON.parse(JSON.stringify(observed())) as object
    const [a, b] = [project(again()), project(again())]
    expect(a).not.toBe(b)
    expect(a.metadata.ownerReferences).toBe(b.metadata.ownerReferences)
    expect(a.metadata.labels).toBe(b.metadata.labels)
    const other = project(observed({ labels: { app: 'api' }, ownerReferences: [] }))
    expect(other.metadata).toMatchObject({ labels: { app: 'api' }, ownerReferences: [] })
    for (let i = 0; i < 5000; i++) project(observed({ name: `n${i}`, labels: { app: `${i}` } }))
    const last = project(again())
    expect(last).toEqual(a)
  })

  it('is well with an object that says little', () => {
    const [, project] = hashAtIngest(both)
    const { metadata } = project({ spec: 1 })
    expect(metadata).toEqual({ name: '', uid: '', resourceVersion: '' })
  })

  it('H1, X11: throws for an integer that may have been rounded', () => {
    const [, project] = hashAtIngest(both)
    expect(() => project(observed({}, { spec: { size: 2 ** 53 } }))).toThrow(InexactIntegerError)
  })

  it.each([
    [{ label: [] }, 'hashAtIngest.label'],
    [{ labels: 'app' }, 'hashAtIngest.labels'],
    [{ name: '' }, 'hashAtIngest.name'],
  ])('X6: refuses %j', (options, option) => {
    expect(() => hashAtIngest(both, options as object)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', option }),
    )
  })
})

/** Compiled, never run: a kept object is typed by its parts, and is never written back as an object. */
export async function types(client: Client): Promise<void> {
  const kept = await client.get(configMaps.project(...hashAtIngest(both)), { name: 'a', namespace: 'b' })
  const digest: string | undefined = kept?.hashes.status
  // @ts-expect-error no part has this name
  kept?.hashes.other
  // @ts-expect-error a kept object is less than the whole
  if (kept !== undefined) await client.update(configMaps, kept)
  // @ts-expect-error parts of another type's objects
  configMaps.project(...hashAtIngest(parts({ players: (game: { spec: { players: number } }) => game.spec.players })))
  void digest
}
