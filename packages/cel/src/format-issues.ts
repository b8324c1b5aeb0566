import type { Expr } from './ast.ts'
import type { Checked } from './checker.ts'
import type { Issue } from './issues.ts'
import { dyn } from './types.ts'

const numbers = 'only be used on'
/** The types that a clause accepts, and the message about other types. */
const clauses: Readonly<Record<string, readonly [types: readonly string[], why: string]>> = {
  s: [
    [
      ...['string', 'bool', 'bytes', 'int', 'uint', 'double', 'map', 'list', 'type', 'duration', 'timestamp', 'null'],
      ...['null_type', 'google.protobuf.Timestamp', 'google.protobuf.Duration'],
    ],
    `string clause can ${numbers} strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps`,
  ],
  d: [['int', 'uint'], `decimal clause can ${numbers} integers`],
  f: [['double'], `fixed-point clause can ${numbers} doubles`],
  e: [['double'], `scientific clause can ${numbers} doubles`],
  b: [['int', 'uint', 'bool'], 'only integers and bools can be formatted as binary'],
  o: [['int', 'uint'], `octal clause can ${numbers} integers`],
  x: [['int', 'uint', 'string', 'bytes'], 'only integers, byte buffers, and strings can be formatted as hex'],
  X: [['int', 'uint', 'string', 'bytes'], 'only integers, byte buffers, and strings can be formatted as hex'],
}

const fullNames: Readonly<Record<string, string>> = {
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
}

/** The issues of a call of `format` on a literal with a literal list. */
export function formatIssues(node: Expr, { types }: Checked): Issue[] {
  if (node.kind !== 'call' || node.name !== 'format' || node.target?.kind !== 'literal') return []
  const [list] = node.args
  if (typeof node.target.value !== 'string' || list?.kind !== 'list') return []
  let next = 0
  const say = (message: string, at = node.at): Issue[] => [{ at, message }]
  for (const [text, , verb = ''] of node.target.value.matchAll(/%(\.\d*)?(.|$)/gsu)) {
    if (text === '%%') continue
    if (verb === '') return say('unexpected end of string')
    const item = list.elements[next]
    if (item === undefined) return say(`index ${next} out of range`)
    next++
    const clause = clauses[verb]
    if (clause === undefined) return say(`could not parse formatting clause: unrecognized formatting clause "${verb}"`)
    const { kind, name } = types.get(item) ?? dyn
    const [allowed, why] = clause
    if (kind === 'dyn' || kind === 'param' || allowed.includes(name)) continue
    return say(`error during formatting: ${why}, was given ${fullNames[name] ?? name}`, item.at)
  }
  const given = list.elements.length
  if (given === next) return []
  return say(`too many arguments supplied to string.format (expected ${next}, got ${given})`)
}
