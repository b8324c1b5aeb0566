import { performance } from 'node:perf_hooks'
import { systemEnvironment } from '@wherry/client/internal'
import { configMaps } from '@wherry/client/resources/core'
import { type Cursor, Store, type StoreWriter } from '@wherry/informer'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { readMemory } from '../../harness/memory.ts'

const CURSORS = 1000
const ROUNDS = 5
const CHANGES = 20_000

/** The store's own cost is above that of the objects, which are here before it. */
export async function run({ objects: count }: SubjectContext): Promise<Metrics> {
  let version = 0
  const object = (index: number, value = `${index}`): object => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: `config-map-${index}`,
      namespace: `namespace-${index % 50}`,
      uid: `uid-${index}`,
      resourceVersion: `${++version}`,
    },
    data: { value },
  })
  const objects = Array.from({ length: count }, (_, index) => object(index))
  const store = new Store({ view: configMaps, environment: systemEnvironment() })
  const writer = store.writer()
  const before = readMemory().heap
  fill(writer, objects)
  const filled = readMemory().heap

  const cursors = Array.from({ length: CURSORS }, () => store.cursor())
  for (const cursor of cursors) drain(cursor)
  const opened = readMemory().heap

  let reads = 0
  let ms = 0
  for (let round = 0; round < ROUNDS; round++) {
    for (let index = 0; index < count; index++) writer.change('MODIFIED', object(index), 1930)
    const begin = performance.now()
    for (const cursor of cursors) reads += drain(cursor)
    ms += performance.now() - begin
  }

  const change_us = await changes(writer, object, () => {})
  // What the store costs a change while 1,000 wait: their own reading of what they are woken for is not its cost.
  let readingMs = 0
  let woken: (() => void)[] = []
  const waits = cursors.map(cursor => {
    const wait = (): void => cursor.wake(awake)
    const awake = (): void => void woken.push(wait)
    return wait
  })
  for (const wait of waits) wait()
  const idle_change_us = await changes(writer, object, () => {
    if (woken.length !== CURSORS) throw new Error(`${woken.length} cursors were woken, not ${CURSORS}`)
    const begin = performance.now()
    for (const cursor of cursors) drain(cursor)
    readingMs += performance.now() - begin
    const again = woken
    woken = []
    for (const wait of again) wait()
  })
  store.close(new Error('over'))
  return {
    bytes_per_cursor: (opened - filled) / CURSORS,
    reads_per_s: reads / (ms / 1000),
    bytes_per_object: (filled - before) / count,
    idle_change_us: idle_change_us - (readingMs * 1000) / CHANGES,
    change_us,
  }
}

function fill(writer: StoreWriter, objects: readonly object[]): void {
  const snapshot = writer.replace()
  for (const one of objects) snapshot.put(one, 1930)
  snapshot.commit()
}

function drain(cursor: Cursor<unknown>): number {
  let count = 0
  for (let read = cursor.take(100); read.length > 0; read = cursor.take(100)) count += read.length
  return count
}

/** Microseconds of a change, in batches of 30, as a chunk of a watch has them; each batch is a task of its own. */
async function changes(
  writer: StoreWriter,
  object: (index: number, value: string) => object,
  after: () => void,
): Promise<number> {
  const text = 'lorem ipsum dolor sit amet '.repeat(65)
  const prepared = Array.from({ length: CHANGES }, (_, index) => JSON.stringify(object(index % 1000, text)))
  const begin = performance.now()
  for (let index = 0; index < CHANGES; index++) {
    // As a watch has it: decoded first.
    writer.change('MODIFIED', JSON.parse(prepared[index] as string) as object, 1930)
    if (index % 30 !== 29) continue
    await new Promise(resolve => setImmediate(resolve))
    after()
  }
  return ((performance.now() - begin) * 1000) / CHANGES
}
