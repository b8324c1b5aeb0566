import { describe, expect, it } from 'vitest'
import { compile } from './compile.ts'
import { string } from './types.ts'

/** What an expression evaluates to, as its text; or what is said of it, in one line. */
function resultOf(expression: string): string {
  const program = compile(`'%s'.format([dyn(${expression})])`, new Map())
  if ('issues' in program) return program.issues.split('\n')[0]?.replace(/^ERROR: <input>:\d+:\d+: /, '') ?? ''
  try {
    return String(program.evaluate(new Map()))
  } catch (error) {
    return `! ${(error as Error).message}`
  }
}

/** Each was seen of a real server: test/differential compares many more. */
const rows: readonly (readonly [expression: string, answer: string])[] = [
  ['1 == 1.0', "found no matching overload for '_==_' applied to '(int, double)'"],
  ['dyn(1) == 1.0', 'true'],
  ['9223372036854775807 + 1', '! integer overflow'],
  ['1 / 0', '! division by zero'],
  ['true || 1 / 0 == 1', 'true'],
  ['1 / 0 == 1 || true', 'true'],
  ['string(1e6)', '1e+06'],
  ['int("x")', "type conversion error from 'string' to 'int'"],
  ['"é".size()', '1'],
  ['[0, 1].exists(x, 1 / x > 0)', 'true'],
  ['[0].exists(x, 1 / x > 0)', '! division by zero'],
  ['[1, 2].transformList(i, v, i + v)', '[1, 3]'],
  ['{"a": 1}.transformMapEntry(k, v, {v: k})', '{1:"a"}'],
  ['{"a": 1}.?b.orValue(3)', '3'],
  ['[?optional.none(), 1]', '[1]'],
  ['has({"a": 1}.b)', 'false'],
  ['{"a": 1}.b', '! no such key: b'],
  ['[1][3]', '! index out of bounds: 3'],
  ['"abc".matches("(?i)B")', 'true'],
  ['"abc".matches("(?=a)")', 'invalid matches argument'],
  ['"a1b22".findAll("[0-9]+")', '["1", "22"]'],
  ['"abcb".lastIndexOf("b", 2)', '1'],
  ['"aba".replace("", "-")', '-a-b-a-'],
  ['" \\t\u3000a b\\n ".trim() + "|" + "  ".trim()', 'a b|'],
  ['[3, 1, 2].sort()', '[1, 2, 3]'],
  ['[].max()', '! max called on empty list'],
  ['sets.equivalent([1, 2], [2, 1, 1])', 'true'],
  ['timestamp("2024-02-29T12:34:56.789Z").getDayOfYear()', '59'],
  ['timestamp("2024-01-01T00:00:00Z").getHours("America/New_York")', '19'],
  ['duration("1h30m")', '5400s'],
  ['quantity("1Gi").isGreaterThan(quantity("1G"))', 'true'],
  ['quantity("1500m").asInteger()', '! cannot convert value to integer'],
  ['string(ip("2001:db8:0:0::1"))', '2001:db8::1'],
  ['cidr("10.0.0.0/8").containsIP("11.0.0.1")', 'false'],
  ['url("https://[::1]:80/").getHostname()', '::1'],
  ['semver("1.0.0-a.1").compareTo(semver("1.0.0-a.b"))', '-1'],
  ['format.dns1123Label().validate("a-b").hasValue()', 'false'],
  ['optional.of(1).orValue(1 / 0)', '1'],
  ['[1, 2].filter(x, [x].map(y, y / 0) == [] || true)', '[1, 2]'],
  ['[1, 2].all(x, [x].map(y, y / 0) == [] || x > 0) && [1].map(z, z) == [1]', 'true'],
  ['optional.ofNonZeroValue(duration("0s")).hasValue()', 'false'],
  ['optional.ofNonZeroValue(timestamp("0001-01-01T00:00:00Z")).hasValue()', 'false'],
  ['optional.ofNonZeroValue(timestamp(0)).hasValue()', 'true'],
  ['optional.ofNonZeroValue(optional.none()).hasValue()', 'true'],
  ['optional.ofNonZeroValue([]).hasValue()', 'false'],
  ['foo(1)', "undeclared reference to 'foo' (in container '')"],
  ['[1].constructor(1, 2)', "undeclared reference to 'constructor' (in container '')"],
]

describe('expressions', () => {
  it('trim takes linear time, however many blanks are within a text', () => {
    const program = compile('self.trim().size()', new Map([['self', string]]))
    if ('issues' in program) throw new Error(program.issues)
    const text = `a${' '.repeat(400_000)}b`
    expect(String(program.evaluate(new Map([['self', ` ${text} `]])))).toBe(`${text.length}`)
  })

  it.for(rows)('F1: %s', ([expression, expected]) => {
    expect(resultOf(expression)).toBe(expected)
  })

  it('F1: keep a character beyond 16 bits in a literal of bytes that has an escape', () => {
    expect(resultOf(String.raw`b"\xff😀" == b"\xff\xf0\x9f\x98\x80"`)).toBe('true')
  })

  it('F1: end when they cost a million units', () => {
    const nested = 'lists.range(2000).all(a, lists.range(2000).all(b, a + b >= 0))'
    expect(resultOf(nested)).toBe('! operation cancelled: actual cost limit exceeded')
  })
})
