import { describe, expect, it } from 'vitest'
import { heapOf, letters } from '../testkit/heap.ts'
import { HeapEstimate } from './heap-estimate.ts'

const pod = (n: number): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: `pod-${letters(10)}`,
    namespace: `namespace-${n % 50}`,
    uid: letters(36),
    resourceVersion: `${100_000_000_000 + n}`,
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { app: `app-${n % 100}-with-a-long-name`, 'pod-template-hash': letters(10) },
    ownerReferences: [
      { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: letters(30), uid: letters(36), controller: true },
    ],
  },
  spec: {
    containers: [{ name: 'main', image: `registry/${letters(40)}`, resources: { limits: { cpu: '100m' } }, ports: [] }],
    weight: n + 0.5,
  },
})

describe('an estimate of the heap', () => {
  it.each<[string, (n: number) => unknown]>([
    ['a small object', n => ({ a: n })],
    ['an empty object and list', () => ({ a: {}, b: [] })],
    ['long text', () => ({ a: letters(500) })],
    ['text of two bytes', () => ({ a: `→${letters(100)}` })],
    ['text of Latin-1', () => ({ a: `ü${letters(100)}` })],
    ['numbers', n => ({ a: n + 0.25, b: 2 ** 40 + n, c: n })],
    ['lists', n => ({ a: [n, n + 0.5, [letters(20)]] })],
    ['many keys', () => Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`key${i}`, i]))],
    ['a dictionary', () => Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`key${i}`, i]))],
    ['a pod', pod],
  ])('T4: of %s is within 25 % of what it is measured to cost', (_, make) => {
    const first = JSON.stringify(make(0))
    // Enough for what else happens on the heap to count for nothing.
    const texts = Array.from({ length: Math.ceil(1_000_000 / first.length) }, (_, n) => JSON.stringify(make(n)))
    // shapes and keys are made once
    JSON.parse(first)
    const parsed = (): unknown[] => {
      const kept: unknown[] = Array.from({ length: texts.length }, () => null)
      for (const [n, text] of texts.entries()) kept[n] = JSON.parse(text)
      return kept
    }
    const measured = heapOf(parsed) - 8 * texts.length
    const estimate = new HeapEstimate()
    const estimated = parsed().reduce((sum: number, value) => sum + estimate.of(value), 0)
    expect(estimated / measured).toBeGreaterThan(0.75)
    expect(estimated / measured).toBeLessThan(1.25)
  })

  it('counts a text each time that is too long to be held once', () => {
    const estimate = new HeapEstimate((key, depth) => (key === 'labels' && depth === 0 ? 64 : 0))
    const object = { labels: { app: 'x'.repeat(65) } }
    estimate.of(object)
    expect(estimate.of(object)).toBe(24 + 8 + 24 + 8 + 88)
  })

  it('counts a value once that is held once', () => {
    const estimate = new HeapEstimate((key, depth) => (key === 'labels' && depth === 0 ? 64 : 0))
    const object = { labels: { app: 'a label of some length' } }
    const first = estimate.of(object)
    const second = estimate.of(object)
    expect(second).toBe(24 + 8 + 24 + 8)
    // two keys with their shapes, and the value
    expect(first - second).toBe(24 + 120 + 24 + 120 + 40)
    expect(estimate.sharedBytes).toBe(first - second)
    expect(new HeapEstimate().of({ a: 'short', b: 'short' })).toBe(24 + 16 + 2 * (24 + 120) + 24)
    expect(estimate.of({ other: { app: 'a label of some length' } })).toBe(64 + 24 + 120 + 40)
  })

  it('counts once what several objects share', () => {
    const labels = { app: 'a label of some length' }
    const of = (value: object): number => {
      const estimate = new HeapEstimate()
      estimate.of({ metadata: { labels } })
      return estimate.of({ metadata: { labels: value } })
    }
    // two objects, and the third with its text
    const own = 2 * (24 + 8) + (24 + 8 + 40)
    expect(of(labels)).toBe(own)
    Object.freeze(labels)
    expect(of(labels)).toBe(own - (24 + 8 + 40))
    expect(of({ ...labels })).toBe(own)
    expect(of(Object.freeze({ ...labels }))).toBe(own)
  })

  it('takes values nested as deep as a server takes them, and nothing that holds itself', () => {
    const depth = 10_000
    const nested: unknown = JSON.parse('['.repeat(depth) + ']'.repeat(depth))
    expect(new HeapEstimate().of(nested)).toBe((depth - 1) * (32 + 16 + 8) + 32)
    const ring: unknown[] = []
    ring.push(ring, ring)
    expect(() => new HeapEstimate().of(ring)).toThrow(RangeError)
  })

  it('takes a value that is no JSON for nothing', () => {
    expect(new HeapEstimate().of(undefined)).toBe(0)
    expect(new HeapEstimate().of(null)).toBe(0)
    expect(new HeapEstimate().of(true)).toBe(0)
    expect(new HeapEstimate().of(-0)).toBe(16)
    expect(new HeapEstimate().of(12n)).toBe(24)
  })
})
