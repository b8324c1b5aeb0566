import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../json/json.ts'
import { compileRules } from '../rule.ts'
import { valueOfJson } from '../schema-values.ts'
import { readSchema, type Schema } from '../structural/schema.ts'
import { Meter } from './meter.ts'

const integer = { type: 'integer' }
const text = { type: 'string' }
const properties: JsonObject = {
  i: integer,
  b: { type: 'boolean' },
  s: text,
  time: { type: 'string', format: 'date-time' },
  list: { type: 'array', items: integer },
  set: { type: 'array', items: text },
  map: { type: 'object', additionalProperties: text },
  items: { type: 'array', items: { type: 'object', properties: { name: text, n: integer } } },
  object: { type: 'object', properties: { x: integer } },
  absent: integer,
}

const self = {
  ...{ i: 7, b: true, s: '::1', time: '2024-02-29T12:34:56.789Z', list: [3, 1, 2], set: ['b', 'a'] },
  ...{ map: { k: 'v', 'l.m': 'w' }, object: { x: 1 } },
  items: [
    { name: 'one', n: 1 },
    { name: 'two', n: 2 },
  ],
}

/** The cost of each rule, as the code of Kubernetes 1.37.1 counts it. */
const rows: readonly (readonly [rule: string, cost: number])[] = [
  ['self.i == 7', 3],
  ['has(self.absent)', 1],
  ['self.b ? self.b : false', 3],
  ["self.b ? self.map.k == 'v' : false", 6],
  ["(self.b ? self.map.k : 'x') == 'v'", 5],
  ['(self.b ? self.i : 0) == 7', 4],
  ['self.list.exists_one(x, x > 2)', 12],
  ['self.list.filter(x, x > 1).size() == 2', 37],
  ['self.list.map(x, x > 1, x * 2).size() == 2', 39],
  ['self.map.map(k, self.map[k]).size() == 2', 35],
  ["self.set[self.object.x] == 'a'", 6],
  ['self.items[self.object.x].n == 2', 7],
  ['self.?absent.hasValue()', 2],
  ['self.?map.k.hasValue()', 4],
  ["self.?map.z.orValue('') == ''", 2],
  ["self.map[?'k'].orValue('') == 'v'", 4],
  ['self.list[?9].hasValue()', 3],
  ['type(self.i) == int', 4],
  ['type(ip(self.s)) == net.IP || true', 5],
  ["cidr('10.0.0.0/8').containsIP('10.1.2.3')", 3],
  ["cidr('10.0.0.0/8').containsIP(ip('10.1.2.3'))", 3],
  ["cidr('2001:db8::/32').containsCIDR('2001:db8:1::/48')", 7],
  ["ip('::1') == ip('0:0::1')", 3],
  ['format.dns1123Label().validate(self.map.k).hasValue()', 13],
  ["format.named('dns1123Subdomain').value().validate('a..b').hasValue()", 18],
  ["format.uri().validate('https://example.com').hasValue()", 554],
  ["format.uuid().validate('x').hasValue()", 20],
  ["format.datetime().validate('x').hasValue()", 20],
  ["self.time < timestamp('2030-01-01T00:00:00Z')", 3],
]

function costOf(rule: string): number {
  const schema = readSchema({ type: 'object', properties, 'x-kubernetes-validations': [{ rule }] }) as Schema
  const [compiled] = compileRules(schema, false) ?? []
  if (compiled?.program === undefined) throw new Error(compiled?.problem)
  const meter = new Meter()
  compiled.program.evaluate(new Map([['self', valueOfJson(self, schema, false)]]), meter)
  return meter.spent
}

describe('what an evaluation costs', () => {
  it.for(rows)('F1: %s costs %i', ([rule, cost]) => {
    expect(costOf(rule)).toBe(cost)
  })
})
