import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { parts } from '../parts/parts.ts'
import { specPart } from '../parts/spec-part.ts'
import { statusPart } from '../parts/status-part.ts'
import { hashAtIngest } from './hash-at-ingest.ts'
import { observed } from './observed.fixture.ts'

const both = parts({ spec: specPart(), status: statusPart })

describe('the heap of kept objects', () => {
  /** Copies of 50 objects in many namespaces, as they come off the wire. */
  function kept(bytes: number, count: number): { readonly held: unknown[]; readonly perCopy: number } {
    const object = (i: number): object =>
      observed({ name: `settings-of-${i}`, labels: { app: `app-${i}` } }, { data: { text: `${i}`.repeat(bytes) } })
    const texts = Array.from({ length: 50 }, (_, i) => JSON.stringify(object(i)))
    const [, project] = hashAtIngest(both, { labels: ['app'] })
    const held: unknown[] = new Array(count).fill(undefined)
    const copy = (i: number): void => {
      const object = JSON.parse(texts[i % 50] as string) as { metadata: Record<string, unknown>; status?: unknown }
      const uid = `${i}`.padStart(36, '0')
      Object.assign(object.metadata, {
        namespace: `n-${Math.floor(i / 50)}`,
        uid,
        resourceVersion: `${1_000_000 + i}`,
        generation: 1,
      })
      object.status = { phase: 'Ready' }
      held[i] = project(JSON.parse(JSON.stringify(object)) as object)
    }
    for (let i = 0; i < 200; i++) copy(i)
    const before = heap()
    for (let i = 200; i < held.length; i++) copy(i)
    return { held, perCopy: (heap() - before) / (held.length - 200) }
  }

  it.each([
    [1000, 10_000],
    [20_000, 2000],
  ])('is at most 450 bytes a copy, for objects of %i bytes', (bytes, count) => {
    const { held, perCopy } = kept(bytes, count)
    expect(held).toHaveLength(count)
    expect(perCopy).toBeGreaterThan(100)
    expect(perCopy).toBeLessThan(450)
  })
})

function heap(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  collect()
  return process.memoryUsage().heapUsed
}
