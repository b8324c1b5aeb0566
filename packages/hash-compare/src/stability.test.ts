import { expect, it } from 'vitest'
import { hash } from './canonical/hash.ts'
import { hashParts, parts } from './parts/parts.ts'
import { specPart } from './parts/spec-part.ts'
import { statusPart } from './parts/status-part.ts'

/**
 * JSON texts and their digests, which were computed by another program in another language. Never to be changed: digests are
 * kept in annotations and compared across versions. Another way to hash is another tag.
 */
const table: readonly [name: string, json: string, digest: string][] = [
  ['null', 'null', 'v1:dCNOmK_nSY-12vHzasLXiswz'],
  ['an empty object', '{}', 'v1:RBNvo1WzZ4oRRq0W9-hknpT7'],
  ['the order of keys', '{"b":1,"a":2,"B":3,"10":4,"9":5,"":6}', 'v1:Onmf-r3F7MRV81ZLneuC5Sfy'],
  [
    'unicode',
    String.raw`{"\u20ac":"\u20ac","\ud83d\ude00":"\u00e9","\ufb33":"A\u030a","\u0007":"\u001f\u007f\u2028"}`,
    'v1:LjUmvv4EeH9eseDpjM3A_cFi',
  ],
  ['escapes', String.raw`"\b\t\n\f\r\"\\\/\u000b"`, 'v1:U7w8bzCR3dkLFLtcWiAbaCsC'],
  [
    'numbers',
    '[-0,1.0,0.1,1E-7,123456789.125,9007199254740991,-9007199254740991,5e-324,100]',
    'v1:Wo3LzQKPxWk_WyVgSADyvaS6',
  ],
  ['__proto__', '{"constructor":{"__proto__":1},"__proto__":{"x":true}}', 'v1:0rOcniejqjFgEydro0ATfZp0'],
  [
    'a ConfigMap',
    String.raw`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"b","labels":{"app":"web"}},"data":{"z.conf":"a = 1\nb = 2\n","a.conf":""}}`,
    'v1:BK-QNokfn6G_q_E28Dl7yNs8',
  ],
  ['1,000 levels', `${'[{"k":'.repeat(500)}1${'}]'.repeat(500)}`, 'v1:3DLllfAZoTAjpq2wZY--HEss'],
  ['a string of 1 MiB', `"${'x'.repeat(1024 * 1024)}"`, 'v1:NYaToFEdn1jyPS48aDW-S8_j'],
  ['2 MiB of unicode', `{"data":"${'€😀\\"'.repeat(262_144)}"}`, 'v1:2RzuM15J_8tjSXo8Y-56a1tJ'],
]

it.each(table)('H1: the digest of %s is what it always was', (_, json, digest) => {
  expect(hash(JSON.parse(json))).toBe(digest)
})

it('H1, X11: the digest of integers beyond 2^53 - 1 is what it always was', () => {
  const value = { one: 1n, big: 12345678901234567890n }
  expect(hash(value, { integers: 'bigint' })).toBe('v1:izoNy1h5JHg51YbjH663gI6O')
})

it('H1, H2: the digests of the parts of an object are what they always were', () => {
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'a',
      namespace: 'b',
      uid: 'c',
      resourceVersion: '7',
      labels: { app: 'web' },
      annotations: { 'example.com/size': '1', 'example.com/seen': 'today' },
    },
    data: { k: 'v' },
    status: { phase: 'Ready' },
  }
  const all = parts({
    spec: specPart({ annotations: ['example.com/size'] }),
    status: statusPart,
    keys: ({ data }: typeof object) => Object.keys(data),
  })
  expect(hashParts(object, all)).toEqual({
    spec: 'v1:OeGwZoBcWnPya3T9G51vFt7S',
    status: 'v1:298JAukMyuXtGrERjePFMxoq',
    keys: 'v1:M-FrxIABnuSoa2-wwCZQ2tdv',
  })
})
