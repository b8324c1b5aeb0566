import type { View } from '@wherry/client'
import { describe, expect, it } from 'vitest'
import { Entry } from '../entries/entry.ts'
import { bed, items } from '../store/testkit/objects.ts'
import { Journal } from './journal.ts'
import { JournalCursor } from './journal-cursor.ts'

/** A journal, and what happens in it: objects are what their key and a count say. */
class Bed {
  readonly #bed = bed()
  readonly journal: Journal<string>
  readonly #entries = new Map<string, Entry<string>>()
  #count = 0

  constructor(maxTombstones?: number, maxTombstoneBytes = 1e9) {
    this.journal = new Journal<string>({
      view: items as unknown as View<string>,
      clock: this.#bed.simulation.clock,
      maxTombstones,
      maxTombstoneBytes,
      failed: () => [],
      onError: () => {},
    })
  }

  put(...keys: readonly string[]): void {
    for (const key of keys) {
      this.#count++
      const held = this.#entries.get(key)
      const entry = held ?? new Entry<string>({ key, uid: key, resourceVersion: `${this.#count}` }, '', 10)
      entry.value = `${key}@${this.#count}`
      this.#entries.set(key, entry)
      if (held === undefined) this.journal.added(entry)
      else this.journal.changed(entry)
    }
  }

  /** All at once, as a first list comes. */
  list(...keys: readonly string[]): void {
    const entries = keys.map(key => new Entry<string>({ key, uid: key, resourceVersion: '1' }, `${key}@0`, 10))
    for (const entry of entries) this.#entries.set(entry.key, entry)
    this.journal.addedAll(entries, () => true)
  }

  drop(...keys: readonly string[]): void {
    for (const key of keys) {
      const entry = this.#entries.get(key) as Entry<string>
      this.#entries.delete(key)
      this.journal.removed(entry, entry, false, 10)
    }
  }

  forget(key: string): void {
    this.journal.forget(this.#entries.get(key) as Entry<string>)
    this.#entries.delete(key)
  }

  advance(ms: number): Promise<void> {
    return this.#bed.simulation.advance(ms)
  }
}

/** `reset +a -b synced` */
function read(reader: JournalCursor<string>, max = 10_000): string {
  const signs = { changed: '+', deleted: '-' } as const
  const words = reader
    .take(max)
    .map(change =>
      change.type === 'changed' || change.type === 'deleted' ? `${signs[change.type]}${change.key}` : change.type,
    )
  return words.join(' ')
}

/** A reader that has read `keys` and `synced`. */
function following(at: Bed, ...keys: readonly string[]): JournalCursor<string> {
  at.put(...keys)
  at.journal.synced()
  const reader = new JournalCursor(at.journal)
  read(reader)
  return reader
}

const six = ['1', '2', '3', '4', '5', '6'] as const
const microtask = (): Promise<void> => Promise.resolve()

describe('a reader that does not come to the end', () => {
  it('R38: after as many changes as there are keys, reads deletions, then all objects by birth, then later changes', () => {
    const at = new Bed()
    const reader = following(at, ...six)
    for (let round = 0; round < 6; round++) {
      at.put(...six)
      expect(read(reader, 1)).toBe('+1')
    }
    at.put('6', '5', '4', '3')
    at.drop('1', '2')
    expect(read(reader, 1)).toBe('-1')
    at.put('5', '4')
    at.drop('3')
    expect(read(reader, 1)).toBe('-2')
    at.put('new', '6', '5', '4')
    expect(read(reader, 1)).toBe('+4')
    at.put('6', '5', '4')
    expect(read(reader, 2)).toBe('+5 +6')
    expect(read(reader)).toBe('-3 +new +6 +5 +4')
    expect(reader.lag).toBe(0)
    expect(at.journal.tombstones.size).toBe(0)
  })

  it('R38: counts tombstones too: no lap before as many changes', () => {
    const at = new Bed()
    const reader = following(at, ...six)
    for (let round = 0; round < 4; round++) {
      at.put('6', '5', '4', '3', '2', '1')
      expect(read(reader, 1)).toBe('+6')
    }
    at.put('6', '5', '4', '3')
    at.drop('1', '2')
    expect(read(reader, 2)).toBe('+6 +5')
    // Six changes: a lap.
    expect(read(reader, 1)).toBe('-1')
  })

  it('R38: does not read again in a lap what it has read and has not changed since', () => {
    const at = new Bed()
    const reader = following(at, ...six)
    for (let round = 0; round < 6; round++) {
      at.put('1', '2', '4', '5')
      read(reader, 1)
    }
    at.put('1', '2', '5')
    expect(read(reader, 4)).toBe('+1 +2 +4 +5')
    expect(read(reader)).toBe('')
  })

  it('R38: a lap is over when the end is reached: the count restarts', () => {
    const at = new Bed()
    const reader = following(at, ...six)
    for (let round = 0; round < 3; round++) {
      at.put('6', '5', '4', '3')
      expect(read(reader)).toBe('+6 +5 +4 +3')
    }
    at.put('6', '5', '4', '3', '2', '1')
    expect(read(reader)).toBe('+6 +5 +4 +3 +2 +1')
  })

  it('R38: through a lap, counts what it has still to read', () => {
    const at = new Bed()
    const reader = following(at, ...six)
    for (let round = 0; round < 6; round++) {
      at.put(...six)
      read(reader, 1)
    }
    at.drop('1', '2')
    const lags = [reader.lag]
    const received: string[] = []
    for (let one = read(reader, 1); one !== ''; one = read(reader, 1)) {
      received.push(one)
      lags.push(reader.lag)
    }
    expect(received).toEqual(['-1', '-2', '+3', '+4', '+5', '+6'])
    expect(lags).toEqual([6, 5, 4, 3, 2, 1, 0])
  })

  it('R39: keeps a tombstone until it is read, and no longer', () => {
    const at = new Bed()
    const reader = following(at, ...six)
    for (let round = 0; round < 6; round++) {
      at.put(...six)
      read(reader, 1)
    }
    at.drop('1', '2')
    expect(read(reader, 1)).toBe('-1')
    expect(at.journal.tombstones.size).toBe(1)
    expect(read(reader, 2)).toBe('-2 +3')
    expect(at.journal.tombstones.size).toBe(0)
    at.drop('4')
    expect(at.journal.tombstones.size).toBe(1)
    read(reader)
    expect(at.journal.tombstones.size).toBe(0)
  })

  it('R39: its lag in time is of the oldest change that it has not read, all through a lap', async () => {
    const at = new Bed()
    const reader = following(at, ...six)
    for (let round = 0; round < 6; round++) {
      at.put(...six)
      read(reader, 1)
    }
    await at.advance(5000)
    at.put('1', '2')
    await at.advance(5000)
    for (let left = 5; left > 0; left--) {
      expect(read(reader, 1)).not.toBe('')
      expect(Math.abs(reader.lagMs - 10_000)).toBeLessThan(1000)
    }
    read(reader)
    expect(reader.lagMs).toBe(0)
  })
})

describe('a reader that replays', () => {
  it('R38: reads synced of a store that synced at its last change, without another', () => {
    const at = new Bed()
    const reader = new JournalCursor(at.journal)
    at.put('1')
    expect(read(reader)).toBe('reset +1')
    expect(reader.lag).toBe(0)
    at.journal.synced()
    expect(reader.lag).toBe(1)
    expect(read(reader)).toBe('synced')
    expect(reader.lag).toBe(0)
  })

  it('R38: before the store syncs, follows; then reads later deletions and changes, and synced', () => {
    const at = new Bed()
    const reader = new JournalCursor(at.journal)
    at.put('1', '2', '3')
    expect(read(reader)).toBe('reset +1 +2 +3')
    at.put('2', '4')
    at.drop('1')
    at.journal.synced()
    expect(reader.lag).toBe(4)
    expect(read(reader, 1)).toBe('-1')
    expect(reader.lag).toBe(4)
    expect(read(reader, 1)).toBe('+2')
    // It does not know yet that an object has not changed.
    expect(reader.lag).toBe(3)
    expect(read(reader)).toBe('+4 synced')
  })

  it('R38: is woken only by what it has to read: not by an empty store, but when that has synced', async () => {
    const at = new Bed()
    const reader = new JournalCursor(at.journal)
    expect(read(reader)).toBe('reset')
    const woken: string[] = []
    reader.wake(() => woken.push('one'))
    await microtask()
    expect(woken).toEqual([])
    at.journal.synced()
    await microtask()
    expect(woken).toEqual(['one'])
    expect(read(reader)).toBe('synced')
    reader.wake(() => woken.push('two'))
    await microtask()
    expect(woken).toEqual(['one'])
    at.put('1')
    await microtask()
    expect(woken).toEqual(['one', 'two'])
  })

  it('R39: says how long it has been behind from its own beginning on, after a fall too', async () => {
    const at = new Bed(1)
    at.put('1', '2', '3', '4')
    at.journal.synced()
    const reader = new JournalCursor(at.journal)
    await at.advance(3000)
    read(reader, 2)
    expect(Math.abs(reader.lagMs - 3000)).toBeLessThan(1000)
    read(reader)
    await at.advance(10_000)
    at.drop('1')
    await at.advance(2000)
    at.drop('2')
    expect(reader.resets).toBe(1)
    // What it lost was two seconds old.
    expect(Math.abs(reader.lagMs - 2000)).toBeLessThan(1000)
    expect(read(reader, 2)).toBe('reset +3')
    await at.advance(5000)
    // In the midst of a replay, another fall is of the same delay.
    at.drop('3', '4')
    expect(reader.resets).toBe(2)
    expect(Math.abs(reader.lagMs - 7000)).toBeLessThan(1000)
    expect(read(reader)).toBe('reset synced')
    expect(reader.lagMs).toBe(0)
  })
})

it('R38: finds its place again after the order was compacted, wherever it was', () => {
  const at = new Bed(10_000)
  const keys = Array.from({ length: 4000 }, (_, index) => `${index}`)
  at.put(...keys)
  at.journal.synced()
  const replaying = new JournalCursor(at.journal)
  const behind = new JournalCursor(at.journal)
  expect(read(replaying, 101).split(' ').at(-1)).toBe('+99')
  read(behind)
  at.put('3990', '3991', '3992')
  expect(read(behind, 1)).toBe('+3990')
  const { changes, births } = at.journal
  const generations = [changes.generation, births.generation]
  for (const key of keys.slice(0, 3900)) at.drop(key)
  expect([changes.generation > (generations[0] as number), births.generation > (generations[1] as number)]).toEqual([
    true,
    true,
  ])
  expect([behind.lag, replaying.lag]).toEqual([3902, 100 + 3903 + 1])
  expect(read(replaying, 2)).toBe('+3900 +3901')
  expect(read(behind, 3)).toBe('+3991 +3992 -0')
})

it('R39: drops a tombstone when all waiting cursors have passed it, without another read', async () => {
  const at = new Bed()
  const reader = new JournalCursor(at.journal)
  at.put('1', '2')
  read(reader)
  at.put('2')
  at.forget('2')
  let woken = 0
  reader.wake(() => woken++)
  await microtask()
  expect(woken).toBe(0)
  at.drop('1')
  expect(at.journal.tombstones.size).toBe(1)
  reader.close()
  expect(at.journal.tombstones.size).toBe(0)
  await microtask()
  expect(woken).toBe(1)
})

describe('readers that wait', () => {
  it('R38: are woken by a first list, a change, a deletion, and not by events for others', async () => {
    const at = new Bed()
    const reader = new JournalCursor(at.journal)
    read(reader)
    const woken: string[] = []
    const expectWoken = async (reason: string, cause: () => void): Promise<void> => {
      reader.wake(() => woken.push(reason))
      await microtask()
      expect(woken.splice(0)).toEqual([])
      // Another one has something to read at once.
      const other = new JournalCursor(at.journal)
      other.wake(() => woken.push('other'))
      await microtask()
      expect(woken.splice(0)).toEqual(['other'])
      cause()
      await microtask()
      expect(woken.splice(0)).toEqual([reason])
      other.close()
      read(reader)
    }
    await expectWoken('a list', () => at.list('1', '2'))
    await expectWoken('the end of all lists', () => at.journal.synced())
    await expectWoken('a change', () => at.put('1'))
    await expectWoken('a new one', () => at.put('3'))
    await expectWoken('a deletion', () => at.drop('2'))
    expect(read(reader)).toBe('')
  })

  it('R38: each reads what woke it, however many wait', async () => {
    const at = new Bed()
    const readers = Array.from({ length: 3 }, () => new JournalCursor(at.journal))
    for (const reader of readers) read(reader)
    const received: string[] = []
    for (const [index, reader] of readers.entries()) reader.wake(() => received.push(`${index} ${read(reader)}`))
    at.list('1')
    await microtask()
    expect(received).toEqual(['0 +1', '1 +1', '2 +1'])
    at.put('1')
    await microtask()
    expect(received).toHaveLength(3)
  })
})

describe('tombstones that not all cursors have read', () => {
  it('R39: is kept for the most keys that there were, and for 10,000 of fewer', () => {
    const few = new Bed()
    const reader = following(few, '1', '2')
    for (const key of ['3', '4', '5', '6']) {
      few.put(key)
      few.drop(key)
    }
    expect([reader.resets, few.journal.tombstones.size]).toEqual([0, 4])
    const many = new Bed()
    const keys = Array.from({ length: 10_002 }, (_, index) => `${index}`)
    const other = following(many, ...keys)
    many.drop(...keys)
    expect([other.resets, many.journal.tombstones.size]).toEqual([0, 10_002])
    const listed = new Bed()
    listed.list(...keys)
    listed.journal.synced()
    const third = new JournalCursor(listed.journal)
    read(third, 20_000)
    listed.drop(...keys)
    expect([third.resets, listed.journal.tombstones.size]).toEqual([0, 10_002])
    many.put('one more')
    many.drop('one more')
    expect([other.resets, many.journal.tombstones.size]).toEqual([1, 0])
  })

  it('R39: may take as many bytes as the bound, and no more', () => {
    const at = new Bed(undefined, 20)
    const reader = following(at, '1', '2', '3')
    at.drop('1', '2')
    expect([reader.resets, at.journal.tombstones.bytes]).toEqual([0, 20])
    at.drop('3')
    expect([reader.resets, at.journal.tombstones.bytes]).toEqual([1, 0])
  })

  it('R39: past the bound, only cursors that have not read the oldest begin again', () => {
    const at = new Bed(1)
    const [behind, ahead] = [following(at, '1', '2', '3'), new JournalCursor(at.journal)]
    read(ahead)
    at.drop('1')
    expect(read(ahead)).toBe('-1')
    at.drop('2')
    expect([behind.resets, ahead.resets, at.journal.tombstones.size]).toEqual([1, 0, 1])
    expect(read(ahead)).toBe('-2')
    expect(at.journal.tombstones.size).toBe(0)
  })

  it('R23: goes with the journal', () => {
    const at = new Bed()
    const [reader, other] = [following(at, '1', '2'), new JournalCursor(at.journal)]
    at.drop('1')
    at.journal.close()
    expect([at.journal.tombstones.size, at.journal.tombstones.bytes, at.journal.changes.size]).toEqual([0, 0, 0])
    expect([reader.closed, other.closed, at.journal.readers.size, at.journal.births.size]).toEqual([true, true, 0, 0])
  })
})
