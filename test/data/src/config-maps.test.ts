import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { configMaps, secrets } from './config-maps.ts'
import { jsonBytes } from './object.ts'

const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const DATA_KEY = /^[-._a-zA-Z0-9]{1,253}$/

function measure(objects: Iterable<{ readonly metadata: { readonly managedFields?: unknown } }>) {
  let [count, bytes, managed, largest] = [0, 0, 0, 0]
  for (const object of objects) {
    const size = jsonBytes(object)
    count++
    bytes += size
    largest = Math.max(largest, size)
    managed += object.metadata.managedFields === undefined ? 0 : jsonBytes(object.metadata.managedFields)
  }
  return { count, mean: bytes / count, share: managed / bytes, largest }
}

describe.each([
  ['configMaps', configMaps],
  ['secrets', secrets],
] as const)('%s', (_name, generate) => {
  it.each([
    { bytes: 1930, managedFieldsShare: 0 },
    { bytes: 1930, managedFieldsShare: 0.18 },
    { bytes: 1930, managedFieldsShare: 0.3 },
    { bytes: 8000, managedFieldsShare: 0.1 },
  ])('keeps to its mean size and its share of managedFields within 5 %: %o', options => {
    const { count, mean, share } = measure(generate({ count: 5000, seed: 7, ...options }))
    expect(count).toBe(5000)
    expect(mean / options.bytes).toBeGreaterThan(0.95)
    expect(mean / options.bytes).toBeLessThan(1.05)
    expect(Math.abs(share - options.managedFieldsShare)).toBeLessThan(0.05 * options.managedFieldsShare + 1e-9)
  })

  it('gives one sequence for one seed, and count only ends it', () => {
    const long = [...generate({ count: 300, seed: 3 })]
    expect([...generate({ count: 100, seed: 3 })]).toEqual(long.slice(0, 100))
    expect([...generate({ count: 1, seed: 4 })]).not.toEqual(long.slice(0, 1))
  })

  it('gives valid names, no two alike, over 50 namespaces', () => {
    const names = new Set<string>()
    const namespaces = new Set<string>()
    for (const { metadata, data } of generate({ count: 20_000 })) {
      expect(metadata.name).toMatch(NAME)
      expect(metadata.namespace).toMatch(NAME)
      names.add(metadata.name)
      namespaces.add(metadata.namespace)
      for (const key of Object.keys(data)) if (!DATA_KEY.test(key)) expect.fail(`bad key ${key}`)
    }
    expect(names.size).toBe(20_000)
    expect(namespaces.size).toBe(50)
  })

  it('does not compress to less than two fifths', () => {
    const text = JSON.stringify([...generate({ count: 1000 })])
    expect(gzipSync(text).length / text.length).toBeGreaterThan(0.4)
  })

  it('refuses what it cannot keep', () => {
    expect(() => [...generate({ count: 1, bytes: 300 })]).toThrow(RangeError)
    expect(() => [...generate({ count: 1, managedFieldsShare: 0.9 })]).toThrow(RangeError)
  })
})

it('secrets hold base64', () => {
  for (const { data } of secrets({ count: 200 })) {
    for (const value of Object.values(data)) expect(Buffer.from(value, 'base64').toString('base64')).toBe(value)
  }
})

it('some config maps were applied, and their annotation holds the data again', () => {
  const annotation = 'kubectl.kubernetes.io/last-applied-configuration'
  const applied = [...configMaps({ count: 1000 })].filter(each => each.metadata.annotations?.[annotation])
  expect(applied.length).toBeGreaterThan(120)
  expect(applied.length).toBeLessThan(280)
  for (const { metadata, data } of applied)
    expect(JSON.parse(metadata.annotations?.[annotation] ?? '').data).toEqual(data)
})
