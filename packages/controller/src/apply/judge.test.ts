import type { KubernetesObject } from '@wherry/client'
import { describe, expect, it } from 'vitest'
import { isAsDesired, ownedFields } from './judge.ts'

const manager = 'arcade/game'

/** A live object, and the fields of it that the manager has applied. */
function live(body: object, fieldsV1: object, more: object = {}): KubernetesObject {
  const metadata = (body as KubernetesObject).metadata ?? {}
  const entry = { manager, operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1, ...more }
  const other = { manager: 'other', operation: 'Update', apiVersion: 'v1', fieldsV1: { 'f:data': { 'f:z': {} } } }
  return { ...body, metadata: { name: 'x', ...metadata, managedFields: [other, entry] } } as KubernetesObject
}

function judged(object: KubernetesObject, desired: object): boolean {
  const { metadata } = desired as KubernetesObject
  return isAsDesired(ownedFields(object, manager), {
    apiVersion: 'v1',
    ...desired,
    metadata: { name: 'x', ...metadata },
  })
}

const ownsA = { 'f:data': { 'f:a': {} } }
const onlyA = { data: { a: '1' } }

describe('the owned fields are as desired', () => {
  it.each<[string, KubernetesObject, object, boolean]>([
    ['equal data', live({ data: { a: '1', z: '9' } }, ownsA), onlyA, true],
    ['another value', live({ data: { a: '2' } }, ownsA), onlyA, false],
    ['a key that is not owned', live({ data: { a: '1', b: '2' } }, ownsA), { data: { a: '1', b: '2' } }, false],
    [
      'an owned key that is not desired',
      live({ data: { a: '1', b: '2' } }, { 'f:data': { 'f:a': {}, 'f:b': {} } }),
      onlyA,
      false,
    ],
    ['another version of the resource', live(onlyA, ownsA, { apiVersion: 'v2' }), onlyA, false],
    ['an entry of a subresource', live(onlyA, ownsA, { subresource: 'status' }), onlyA, false],
    ['an entry by Update', live(onlyA, ownsA, { operation: 'Update' }), onlyA, false],
    [
      'a desired 0 that is not owned',
      live({ spec: { replicas: 5 } }, { 'f:spec': { 'f:x': {} } }),
      { spec: { replicas: 0 } },
      false,
    ],
    ['a desired empty list that owns nothing', live(onlyA, ownsA), { data: { a: '1' }, list: [] }, true],
    [
      'an owned false that the server leaves out',
      live({ spec: {} }, { 'f:spec': { 'f:on': {} } }),
      { spec: { on: false } },
      true,
    ],
    ['an empty map that others fill', live({ data: { z: '9' } }, { 'f:data': { '.': {} } }), { data: {} }, true],
    ['a leaf with more in it', live({ sel: { a: '1', b: '2' } }, { 'f:sel': {} }), { sel: { a: '1' } }, false],
    ['nothing but a name', live({ data: { z: '9' } }, {}), {}, true],
    [
      'a key named __proto__',
      live(JSON.parse('{"data":{"__proto__":"1"}}'), JSON.parse('{"f:data":{"f:__proto__":{}}}')),
      JSON.parse('{"data":{"__proto__":"2"}}'),
      false,
    ],
  ])('A2: %s', (_, object, desired, expected) => {
    expect(judged(object, desired)).toBe(expected)
  })

  const ports = {
    'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} },
    'k:{"port":80,"protocol":"UDP"}': { '.': {}, 'f:port': {}, 'f:protocol': {} },
  }
  const tcp = { port: 80, protocol: 'TCP' }
  const udp = { port: 80, protocol: 'UDP' }

  it.each<[string, object, boolean]>([
    ['without the key that the server fills in', [{ port: 80 }, udp], true],
    ['in the other order', [udp, { port: 80 }], false],
    ['one of two', [udp], false],
    ['one more', [{ port: 80 }, udp, { port: 81 }], false],
  ])('A2: items of a list by their keys: %s', (_, desired, expected) => {
    const object = live({ ports: [tcp, { port: 9, protocol: 'TCP' }, udp] }, { 'f:ports': ports })
    expect(judged(object, { ports: desired })).toBe(expected)
  })

  it.each<[string, string[], boolean]>([
    ['as owned', ['a', 'b'], true],
    ['in the other order', ['b', 'a'], false],
    ['one more', ['a', 'b', 'c'], false],
  ])('A2: items of a set: %s', (_, desired, expected) => {
    const fields = { 'f:metadata': { 'f:finalizers': { '.': {}, 'v:"a"': {}, 'v:"b"': {} } } }
    const object = live({ metadata: { finalizers: ['a', 'z', 'b'] } }, fields)
    expect(judged(object, { metadata: { finalizers: desired } })).toBe(expected)
  })

  it('A2: owner references are compared by the owners that the manager names', () => {
    const owner = (uid: string) => ({ apiVersion: 'v1', kind: 'Game', name: 'g', uid })
    const fields = { 'f:metadata': { 'f:ownerReferences': { 'k:{"uid":"1"}': {} } } }
    const object = live({ metadata: { ownerReferences: [owner('1'), owner('2')] } }, fields)
    expect(judged(object, { metadata: { ownerReferences: [owner('1')] } })).toBe(true)
    expect(judged(object, { metadata: { ownerReferences: [owner('2')] } })).toBe(false)
    expect(judged(object, {})).toBe(false)
  })

  it('A2: an object that the manager has not applied is not as desired', () => {
    expect(judged({ metadata: { name: 'x' } }, {})).toBe(false)
  })
})
