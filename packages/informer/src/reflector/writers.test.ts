import { describe, expect, it } from 'vitest'
import { RecordingWriter } from '../testkit/recording-writer.ts'
import { type FillSource, Writers } from './writers.ts'

const object = (name: string, resourceVersion = '1', namespace?: string) => ({
  metadata: { name, resourceVersion, ...(namespace && { namespace }) },
})

const source = (...names: readonly string[]): FillSource => names.map(name => ({ object: object(name), bytes: 7 }))

/** Writers at resourceVersion 9, on a clock with turns of the loop that the test triggers. */
function bed(resourceVersion: string | undefined = '9') {
  const turns: (() => void)[] = []
  const failures: unknown[] = []
  const parts = {
    clock: { turn: () => new Promise<void>(resolve => turns.push(resolve)) } as never,
    resourceVersion: resourceVersion as string | undefined,
    backfillFailed: (error: unknown) => failures.push(error),
  }
  const writers = new Writers(parts)
  const turn = async (): Promise<void> => {
    for (const resolve of turns.splice(0)) resolve()
    for (let count = 0; count < 5; count++) await Promise.resolve()
  }
  return { writers, parts, turns, failures, turn }
}

const failing = (at: string, message: string): RecordingWriter => {
  const recording = new RecordingWriter()
  recording.received = line => {
    if (line.startsWith(at)) throw new Error(message)
  }
  return recording
}

describe('the writers of a reflector', () => {
  it('D12: each receives each change and how far the stream is; the first error of theirs comes after all', () => {
    const { writers } = bed()
    const all = [failing('ADDED', 'one'), new RecordingWriter(), failing('ADDED', 'three'), new RecordingWriter()]
    for (const recording of all) writers.add(recording)
    expect(() => writers.change('ADDED', object('a'), 5)).toThrow('one')
    writers.change('DELETED', object('a'), 5)
    writers.progress('9')
    expect(all.map(({ log }) => log)).toEqual(Array(4).fill(['ADDED a', 'DELETED a']))
    expect(all.map(({ progressed }) => progressed)).toEqual([1, 1, 1, 1])
    expect(all.map(({ bytes }) => bytes)).toEqual([10, 10, 10, 10])
  })

  it('one that another removes amid a change does not receive it, nor anything later', () => {
    const { writers } = bed()
    const [first, second] = [new RecordingWriter(), new RecordingWriter()]
    for (const recording of [first, second]) writers.add(recording)
    first.received = () => writers.remove(second)
    writers.change('ADDED', object('a'), 1)
    writers.change('MODIFIED', object('a'), 1)
    expect([first.log, second.log]).toEqual([['ADDED a', 'MODIFIED a'], []])
    expect([writers.size, writers.has(first), writers.has(second)]).toEqual([1, true, false])
  })

  it('R26: a whole state comes to all at its commit, and is counted; what throws keeps it from no other', () => {
    const { writers } = bed()
    const [first, second] = [failing('commit', 'broken'), new RecordingWriter()]
    for (const recording of [first, second]) writers.add(recording)
    const reading = writers.replace()
    reading.put(object('a'), 3)
    reading.put(object('b'), 4)
    reading.remove(object('a'))
    expect([reading.count, second.log]).toEqual([2, []])
    expect(() => reading.commit('12')).toThrow('broken')
    expect([first.log, second.log]).toEqual([['commit b at 12'], ['commit b at 12']])
    expect([first.open, second.open]).toEqual([0, 0])
  })

  it('a whole state that is dropped, left, or followed by another comes to nobody', () => {
    const { writers } = bed()
    const [first, second] = [new RecordingWriter(), new RecordingWriter()]
    for (const recording of [first, second]) writers.add(recording)
    const former = writers.replace()
    const reading = writers.replace({ reuse: false })
    former.commit('1')
    expect([first.log, first.reuses]).toEqual([['drop'], [true, false]])
    writers.remove(second)
    reading.put(object('a'), 1)
    reading.commit('2')
    expect([first.log, second.log]).toEqual([
      ['drop', 'commit a at 2'],
      ['drop', 'drop'],
    ])
    writers.replace().drop()
    expect(first.log.at(-1)).toBe('drop')
  })

  it('one that another removes amid a whole state does not get it', () => {
    const { writers } = bed()
    const [first, second] = [new RecordingWriter(), new RecordingWriter()]
    for (const recording of [first, second]) writers.add(recording)
    first.received = () => writers.remove(second)
    writers.replace().commit('2')
    expect(second.log).toEqual(['drop'])
  })

  it('D8: clears the writers that had a state when the resource goes, whichever throws', () => {
    const { writers } = bed()
    const [first, empty, last] = [failing('clear', 'broken'), new RecordingWriter(), new RecordingWriter()]
    for (const recording of [first, empty, last]) writers.add(recording)
    first.synced = true
    last.synced = true
    expect(() => writers.clear()).toThrow('broken')
    expect([first.log, empty.log, last.log]).toEqual([['clear'], [], ['clear']])
  })
})

describe('writers that join', () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `n${`${index}`.padStart(4, '0')}`)

  it('D12, R7: is filled from the next turn of the loop on, in slices of 256', async () => {
    const { writers, turns, turn } = bed()
    let given = 0
    const counted = function* () {
      for (const entry of source(...names(600))) {
        given++
        yield entry
      }
    }
    const joining = new RecordingWriter()
    writers.backfill(joining, counted)
    expect([writers.size, writers.has(joining), given]).toEqual([1, true, 0])
    const slices: number[] = []
    while (turns.length > 0) {
      await turn()
      slices.push(given)
    }
    expect(slices).toEqual([256, 512, 600])
    expect(joining.log).toEqual([`commit ${names(600).join(' ')} at 9`])
    expect([joining.bytes, writers.size]).toEqual([4200, 1])
    writers.change('ADDED', object('x'), 1)
    expect(joining.log.at(-1)).toBe('ADDED x')
  })

  it('D12: what changes meanwhile is in it, and wins over what it is filled with', async () => {
    const { writers, turn } = bed()
    const full = new RecordingWriter()
    writers.add(full)
    const joining = new RecordingWriter()
    writers.backfill(joining, () => [
      { object: object('a', '1', 'ns'), bytes: 1 },
      { object: object('b', '1', 'ns'), bytes: 1 },
      { object: object('b', '1', 'other'), bytes: 1 },
      { object: object('c'), bytes: 1 },
      { object: object('gone'), bytes: 1 },
    ])
    writers.change('ADDED', object('brief', '5'), 1)
    writers.change('DELETED', object('brief', '6'), 1)
    writers.change('DELETED', object('gone', '6'), 1)
    writers.change('MODIFIED', object('a', '5', 'ns'), 1)
    writers.change('DELETED', object('b', '6', 'ns'), 1)
    writers.change('ADDED', object('new', '7'), 1)
    expect(joining.log).toEqual([])
    await turn()
    expect(joining.log).toEqual(['commit a b c new at 9'])
    expect(joining.objects.get('a')?.metadata.resourceVersion).toBe('5')
    expect(joining.objects.get('b')?.metadata.namespace).toBe('other')
    expect(full.log.slice(3)).toEqual(['MODIFIED a', 'DELETED b', 'ADDED new'])
  })

  it('D12: begins when there is a state, and not while one is read', async () => {
    const { writers, parts, turns, turn } = bed()
    parts.resourceVersion = undefined
    const early = new RecordingWriter()
    writers.backfill(early, () => source('a'))
    expect([turns.length, early.open]).toEqual([0, 0])
    writers.change('ADDED', object('x'), 1)
    writers.resume()
    writers.resume()
    expect([turns.length, early.open]).toEqual([1, 1])
    await turn()
    expect(early.names).toEqual(['a'])
    parts.resourceVersion = '9'
    const reading = writers.replace()
    const late = new RecordingWriter()
    writers.backfill(late, () => source('a', 'b'))
    expect(turns).toEqual([])
    reading.commit('10')
    expect(late.log).toEqual([])
    writers.resume()
    await turn()
    expect(late.names).toEqual(['a', 'b'])
    // Once that is over, the next one begins at once.
    writers.backfill(new RecordingWriter(), () => [])
    expect(turns).toHaveLength(1)
  })

  it('D12: takes part in a whole state that is read again instead', async () => {
    const { writers, turn } = bed()
    const joining = new RecordingWriter()
    writers.backfill(joining, () => source('old'))
    const reading = writers.replace()
    expect([joining.log, writers.size]).toEqual([['drop'], 1])
    reading.put(object('new'), 1)
    await turn()
    reading.commit('11')
    await turn()
    expect(joining.log).toEqual(['drop', 'commit new at 11'])
  })

  it('D12: two at once are each filled, and neither leaves with the other', async () => {
    const { writers, turn } = bed()
    const [small, large, leaving] = [new RecordingWriter(), new RecordingWriter(), new RecordingWriter()]
    writers.backfill(small, () => source('a'))
    writers.backfill(large, () => source(...names(300)))
    writers.backfill(leaving, () => source('a'))
    writers.remove(leaving)
    expect(writers.size).toBe(2)
    await turn()
    expect([small.synced, large.synced, writers.size, writers.has(large)]).toEqual([true, false, 2, true])
    writers.change('ADDED', object('b'), 1)
    await turn()
    expect([small.log.at(-1), large.synced, large.objects.has('b')]).toEqual(['ADDED b', true, true])
    expect([leaving.log, writers.size]).toEqual([['drop'], 2])
  })

  it('D12: begins at once when what was being read is dropped', () => {
    const { writers, turns } = bed()
    writers.replace().drop()
    writers.backfill(new RecordingWriter(), () => [])
    expect(turns).toHaveLength(1)
  })

  it('D12: in the midst of its slices too', async () => {
    const { writers, failures, turn } = bed()
    const joining = new RecordingWriter()
    writers.backfill(joining, () => source(...names(300)))
    await turn()
    writers.replace().commit('11')
    await turn()
    expect(joining.log).toEqual(['drop', 'commit at 11'])
    expect(failures).toEqual([])
  })

  it('R23: one that leaves, or all when it ends, are filled no further', async () => {
    const { writers, turn } = bed()
    const [one, two, full] = [new RecordingWriter(), new RecordingWriter(), new RecordingWriter()]
    writers.add(full)
    writers.backfill(one, () => source('a'))
    writers.backfill(two, () => source('a'))
    writers.remove(one)
    expect([writers.has(one), writers.has(two), one.log]).toEqual([false, true, ['drop']])
    const reading = writers.replace()
    writers.end()
    await turn()
    expect([writers.size, two.log, full.log]).toEqual([0, ['drop', 'drop'], ['drop']])
    writers.change('ADDED', object('a'), 1)
    reading.commit('1')
    expect(full.log).toEqual(['drop'])
  })

  it('R23: one that is being filled when all ends is filled no further', async () => {
    const { writers, failures, turn } = bed()
    const joining = new RecordingWriter()
    let asked = 0
    writers.backfill(joining, () => {
      asked++
      return source('a')
    })
    writers.end()
    await turn()
    expect([writers.size, joining.log, asked, failures]).toEqual([0, ['drop'], 0, []])
  })

  it('D8: one that is being filled when the resource goes starts over with the rest, uncleared', async () => {
    const { writers, turn } = bed()
    const joining = new RecordingWriter()
    writers.backfill(joining, () => source('a'))
    writers.clear()
    await turn()
    expect([writers.size, joining.log]).toEqual([1, ['drop']])
    writers.replace().commit('1')
    expect(joining.log).toEqual(['drop', 'commit at 1'])
  })

  it('reports a writer if its source throws, drops what it has, and fills it with the next whole state', async () => {
    const { writers, failures, turn } = bed()
    const joining = new RecordingWriter()
    const error = new Error('no source')
    writers.backfill(joining, () => {
      throw error
    })
    await turn()
    expect([failures, joining.log, writers.size]).toEqual([[error], ['drop'], 1])
    writers.replace().commit('1')
    expect(joining.log.at(-1)).toBe('commit at 1')
  })

  it('D12: one that throws while it is filled keeps a change from no other', async () => {
    const { writers, turn } = bed()
    const [member, joining, broken] = [new RecordingWriter(), new RecordingWriter(), new RecordingWriter()]
    broken.replace = () => ({
      put: () => {
        throw new Error('broken')
      },
      remove: () => {},
      commit: () => {},
      drop: () => {},
    })
    writers.add(member)
    writers.backfill(broken, () => [])
    writers.backfill(joining, () => [])
    expect(() => writers.change('ADDED', object('a'), 1)).toThrow('broken')
    await turn()
    expect([member.log, joining.log]).toEqual([['ADDED a'], ['commit a at 9']])
  })

  it('reports a writer if its commit throws, and keeps it once among the members', async () => {
    const { writers, failures, turn } = bed()
    const joining = failing('commit', 'broken')
    writers.backfill(joining, () => source('a'))
    await turn()
    expect([failures, writers.size]).toEqual([[new Error('broken')], 1])
    writers.change('ADDED', object('b'), 1)
    expect(joining.log).toEqual(['commit a at 9', 'ADDED b'])
  })
})
