import { type DeploymentCondition, deployments } from '@wherry/client/resources/apps'
import { configMaps, namespaces } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import { type Condition, conditionOf, isConditionTrue, setCondition } from './conditions.ts'
import { controllerOf, ownerReference, withOwner } from './owner.ts'

const invalid = (option: string) => expect.objectContaining({ code: 'INVALID_OPTION', option })
const owner = { metadata: { name: 'o', namespace: 'n', uid: 'u1' } }

it('an owner reference names the owner by what it is and by uid', () => {
  expect(ownerReference(deployments, owner, 'n')).toEqual({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    name: 'o',
    uid: 'u1',
    controller: true,
    blockOwnerDeletion: true,
  })
  const plain = ownerReference(namespaces, { metadata: { name: 'o', uid: 'u2' } }, 'n', {
    controller: false,
    blockOwnerDeletion: false,
  })
  expect(plain).toMatchObject({ apiVersion: 'v1', kind: 'Namespace', controller: false, blockOwnerDeletion: false })
  expect(ownerReference(namespaces, { metadata: { name: 'o', uid: 'u2' } }, undefined).name).toBe('o')
})

it('an owner that the garbage collector would not find is an error', () => {
  const message = expect.stringContaining('{ owner: false }')
  const refused = expect.objectContaining({ code: 'INVALID_OWNER', message })
  expect(() => ownerReference(configMaps, owner, undefined)).toThrow(refused)
  expect(() => ownerReference(configMaps, owner, 'm')).toThrow(refused)
  expect(() => ownerReference(configMaps, { metadata: { name: 'o', namespace: 'n' } }, 'n')).toThrow(invalid('owner'))
  expect(() => ownerReference(configMaps, {}, 'n')).toThrow(invalid('owner'))
  expect(() => ownerReference(configMaps, owner, 'n', { controller: 1 } as never)).toThrow(
    invalid('ownerReference.controller'),
  )
})

it('an object has one controller', () => {
  const a = ownerReference(configMaps, owner, 'n')
  const b = { ...a, name: 'p', uid: 'u2' }
  const held = Object.freeze([
    { ...b, controller: false },
    { ...a, name: 'old' },
  ])
  expect(withOwner(held, a)).toEqual([held[0], a])
  expect(withOwner(undefined, a)).toEqual([a])
  expect(controllerOf({ metadata: { ownerReferences: withOwner(held, a) } })).toBe(a)
  expect(controllerOf({})).toBeUndefined()
  expect(() => withOwner([b], a)).toThrow(expect.objectContaining({ code: 'ALREADY_OWNED', controller: b }))
  expect(withOwner([b], { ...a, controller: false })).toHaveLength(2)
  expect(() => withOwner({} as never, a)).toThrow(invalid('owners'))
  expect(() => withOwner([], {} as never)).toThrow(invalid('owner'))
})

it('a condition changes its transition time with its status only', () => {
  const now = Date.parse('2026-01-02T03:04:05.678Z')
  const ready = { type: 'Ready', status: 'True', reason: 'AllGood', observedGeneration: 1 } as const
  const first = setCondition(undefined, ready, now)
  expect(first).toEqual([{ ...ready, message: '', lastTransitionTime: '2026-01-02T03:04:05Z' }])
  expect(setCondition(null, ready, now)).toEqual(first)
  const ofBuiltIn: DeploymentCondition[] = [{ type: 'Available', status: 'True', reason: 'AllGood' }]
  expect([conditionOf(ofBuiltIn, 'Available')?.reason, isConditionTrue(ofBuiltIn, 'Available')]).toEqual([
    'AllGood',
    true,
  ])
  expect([conditionOf(null, 'Ready'), isConditionTrue(null, 'Ready')]).toEqual([undefined, false])
  const frozen = Object.freeze(first.map(one => Object.freeze(one)))
  expect(setCondition(frozen, ready, now + 60_000)).toBe(frozen)
  const said = setCondition(frozen, { ...ready, message: 'still', observedGeneration: 2 }, now + 60_000)
  expect(said).toEqual([{ ...frozen[0], message: 'still', observedGeneration: 2 }])
  for (const wrong of [
    { status: true },
    { status: 'true' },
    { reason: 'two words' },
    { reason: '' },
    { reason: '1st' },
    { lastTransitionTime: '' },
    { lastTransitionTime: '2026-01-02' },
    { lastTransitionTime: '2026-13-02T03:04:05Z' },
    { lastTransitionTime: new Date(now) },
  ])
    expect(() => setCondition([], { ...ready, ...wrong } as never, now)).toThrow(
      /condition\.(status|reason|lastTransitionTime)/,
    )
  expect(() => setCondition([], ready, undefined as never)).toThrow('now takes milliseconds since 1970')
  const two = setCondition(said, { type: 'x.io/Other', status: 'Unknown', reason: 'R' }, now)
  const down = setCondition(two, { ...ready, status: 'False' }, now + 60_000)
  expect(down.map(({ type, lastTransitionTime }) => [type, lastTransitionTime])).toEqual([
    ['Ready', '2026-01-02T03:05:05Z'],
    ['x.io/Other', '2026-01-02T03:04:05Z'],
  ])
  const since = '2020-01-01T00:00:00Z'
  const up = setCondition(down, { ...ready, lastTransitionTime: '2020-01-01T00:00:00.123456Z' }, now)
  expect(up[0]?.lastTransitionTime).toBe(since)
  expect(setCondition(up, { ...ready, lastTransitionTime: new Date(now).toISOString() }, now)).toBe(up)
  expect(
    setCondition(
      [{ type: 'Ready', status: 'True' } as Condition],
      { type: 'Ready', status: 'True', reason: 'R' },
      now,
    )[0],
  ).toMatchObject({
    lastTransitionTime: '2026-01-02T03:04:05Z',
  })
  expect([
    isConditionTrue(first, 'Ready'),
    isConditionTrue(down, 'Ready'),
    isConditionTrue(undefined, 'Ready'),
  ]).toEqual([true, false, false])
  expect(conditionOf(down, 'x.io/Other')?.reason).toBe('R')
})
