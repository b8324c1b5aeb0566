import { describe, expect, it } from 'vitest'
import { firstDifference, Trace } from './trace.ts'

const traceOf = (lines: readonly string[], full = false): Trace => {
  const trace = new Trace(full)
  for (const line of lines) trace.add(line)
  return trace
}

describe('Trace', () => {
  it('F5: has equal hashes for equal entries only', () => {
    expect(traceOf(['a', 'b']).hash).toBe(traceOf(['a', 'b']).hash)
    const others = [['a', 'b'], ['b', 'a'], ['ab'], ['a', 'b', ''], ['a'], [], [''], ['a\u{10000}']]
    expect(new Set(others.map(lines => traceOf(lines).hash)).size).toBe(others.length)
  })

  it('hashes numbers, whole and broken', () => {
    const hashes = [
      [1, 2],
      [2, 1],
      [1, 2.5],
      [0.1, 0.2],
      [2 ** 40, 1],
    ].map(([a = 0, b = 0]) => {
      const trace = new Trace()
      trace.addNumbers('step', a, b)
      return trace.hash
    })
    expect(new Set(hashes).size).toBe(5)
  })

  it('hashes the numbers that stand for a line, and keeps the line', () => {
    const [one, same, other] = [new Trace(), new Trace(true), new Trace()]
    one.addAs('a = 1', 0, 1)
    same.addAs('a = 1', 0, 1)
    other.addAs('a = 2', 0, 2)
    expect([one.hash, one.lines, one.length]).toEqual([same.hash, ['a = 1'], 1])
    expect(other.hash).not.toBe(one.hash)
  })

  it('has the same hash whether it keeps all lines or not, and keeps the last ones either way', () => {
    const lines = Array.from({ length: 1000 }, (_, i) => `line ${i}`)
    const [hashed, full] = [traceOf(lines), traceOf(lines, true)]
    expect(hashed.hash).toBe(full.hash)
    expect(full.lines).toEqual(lines)
    expect(hashed.lines).toEqual(lines.slice(-24))
    expect(hashed.length).toBe(1000)
  })

  it('shows where two traces part', () => {
    expect(firstDifference(traceOf(['a']), traceOf(['a']))).toBe(undefined)
    expect(firstDifference(traceOf(['a', 'b', 'c'], true), traceOf(['a', 'b'], true))).toBe(
      'the traces part at entry 2:\n    a\n    b\n  A c\n  B (ends here)',
    )
    expect(firstDifference(traceOf(['a']), traceOf(['b']))).toContain('the traces differ: 1 entries')
  })
})
