import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { games } from '../testkit/games.ts'
import { inMemory } from '../testkit/in-memory.ts'
import { gameOf, requestOf } from '../testkit/request.ts'
import { jsonPatch } from './json-patch.ts'
import { patched } from './patched.ts'

describe('reinvocation', () => {
  it('B2: has a patch of any change make the object that it was made of', () => {
    // A patch never names that field.
    const object = fc
      .dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))
      .filter(one => !JSON.stringify(one).includes('__proto__'))
    fc.assert(
      fc.property(object, object, (before, after) => {
        const copy = structuredClone(before)
        expect(patched(before, jsonPatch(before, after))).toEqual(after)
        expect(before).toEqual(copy)
      }),
    )
    const own = { 'a/b~c': [1, 2, 3] }
    expect(patched({}, jsonPatch({}, own))).toEqual(own)
  })

  it('B2: gives an empty patch for a handler that is idempotent, and says what another one does', () =>
    inMemory(async ({ webhooks }) => {
      webhooks
        .webhook('owner')
        .for(games)
        .mutate(({ draft, user }) => {
          draft.metadata.labels = { ...draft.metadata.labels, owner: user.username }
        })
      webhooks
        .webhook('grows')
        .for(games)
        .mutate(({ draft, deny }) => {
          if (draft.spec?.players === 0) deny('no players')
          draft.spec = { ...draft.spec, tags: [...(draft.spec?.tags ?? []), 'x'] }
        })
      expect(await webhooks.reinvoke('owner', requestOf())).toMatchObject({ allowed: true, patch: [] })
      expect((await webhooks.reinvoke('grows', requestOf())).patch).toEqual([
        { op: 'add', path: '/spec/tags/1', value: 'x' },
      ])
      const refused = await webhooks.reinvoke('grows', requestOf({ object: gameOf({ players: 0 }) }))
      expect(refused.status?.message).toContain('no players')
    }))
})

it('B2: a patched object has all that a patch names, at any depth, and shares nothing with the patch', () => {
  const object = { a: [1, { 'b/c': [1, 2, 3] }, 3], d: { '~e': 1, f: 2 } }
  const value = { x: [1] }
  const result = patched(object, [
    { op: 'remove', path: '/a/1/b~1c/1' },
    { op: 'add', path: '/a/1/b~1c/1', value },
    { op: 'replace', path: '/a/0', value: 9 },
    { op: 'replace', path: '/d/~0e', value },
    { op: 'remove', path: '/d/f' },
    { op: 'add', path: '/d/~1', value: null },
  ])
  expect(result).toEqual({ a: [9, { 'b/c': [1, value, 3] }, 3], d: { '~e': value, '/': null } })
  value.x.push(2)
  expect(result).toMatchObject({ d: { '~e': { x: [1] } }, a: [9, { 'b/c': [1, { x: [1] }, 3] }, 3] })
  expect(patched({ a: 1 }, [{ op: 'replace', path: '', value: { b: 2 } }])).toEqual({ b: 2 })
})
