import { describe, expect, it } from 'vitest'
import { Border } from './border.ts'

/** A border that has seen the gap and the second item of a list. */
function learned(gap: string[], second: string): Border {
  const border = new Border()
  for (const piece of gap) border.seeGap(Buffer.from(`##${piece}##`), 2, 2 + Buffer.byteLength(piece))
  border.seeSecond(Buffer.from(`##${second}##`), 2, 2 + Buffer.byteLength(second))
  return border
}

describe('the border between items', () => {
  it.each([
    [[','], '{"metadata":{"name":"b"}}', '},{"metadata":', 1],
    [['\n  ', ',', '\r\n\t'], '{\n    "apiVersion" : "v1"}', '}\n  ,\r\n\t{\n    "apiVersion" :', 7],
    [[','], '{"a\\"b\\\\":1}', '},{"a\\"b\\\\":', 1],
    [[','], '{"ü":1}', '},{"ü":', 1],
    [[','], `{"${'k'.repeat(500)}":1}`, `},{"${'k'.repeat(500)}":`, 1],
  ])('is learned from the gap %j and the next item', (gap, second, text, gapLength) => {
    const border = learned(gap, second)
    expect(border.text?.toString()).toBe(text)
    expect(border.gapLength).toBe(gapLength)
  })

  it.each([
    [[`,${' '.repeat(256)}`], '{"metadata":1}'],
    [[' '.repeat(200), `,${' '.repeat(100)}`, ' '], '{"metadata":1}'],
    [[','], '{}'],
    [[','], `{"${'k'.repeat(512)}":1}`],
  ])('is not guessed from items without a rule (%#)', (gap, second) => {
    expect(learned(gap, second).text).toBeUndefined()
  })

  it('takes a gap of up to 256 bytes', () => {
    expect(learned([`,${' '.repeat(255)}`], '{"a":1}').gapLength).toBe(256)
  })

  it('is given up when wrong cuts are the rule, and not for a few among many', () => {
    const wrong = learned([','], '{"a":1}')
    for (let i = 0; i < 15; i++) wrong.miss()
    expect(wrong.text).toBeDefined()
    wrong.miss()
    expect(wrong.text).toBeUndefined()

    const rare = learned([','], '{"a":1}')
    for (let i = 0; i < 80; i++) rare.hit()
    for (let i = 0; i < 20; i++) rare.miss()
    expect(rare.text).toBeDefined()
    rare.miss()
    expect(rare.text).toBeUndefined()
  })
})
