import { checkStructural } from '@wherry/apiserver/schema/check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../json/json.ts'
import { readSchema } from '../structural/schema.ts'
import { ruleProblems } from '../validator.ts'

const rules = 'x-kubernetes-validations'
const properties: JsonObject = {
  text: { type: 'string' },
  short: { type: 'string', maxLength: 40 },
  texts: { type: 'array', items: { type: 'string' } },
  few: { type: 'array', maxItems: 30, items: { type: 'string', maxLength: 40 } },
  labels: { type: 'object', additionalProperties: { type: 'string' } },
}

/** What is said of rules, without the hint at its end. */
function reported(...written: string[]): (string | undefined)[] {
  const list = written.map(rule => ({ rule }))
  const schema = { type: 'object', properties: { spec: { type: 'object', properties, [rules]: list } } }
  return checkStructural(schema, 's').map(({ message }) => message?.replace(/ \(try .*/, ''))
}

/** Each was seen of a real server: test/differential compares many more. */
const rows: readonly (readonly [rule: string, factor: string | undefined])[] = [
  ['self.text == self.text', undefined],
  ["self.text.matches('^[a-z]+(-[a-z0-9]+)*$')", undefined],
  ['self.short.contains(self.text)', undefined],
  ['self.few.all(x, self.few.all(y, self.few.all(z, x + y != z)))', undefined],
  ["self.labels.all(k, self.labels[k] == '')", undefined],
  ['self.texts.all(x, x == self.short)', '2.3x'],
  ["['a', 'b', 'c'].all(x, self.texts.exists(y, x == y))", '1.9x'],
  ["self.text.replace('a', 'bcdefg').replace('b', 'cdefghi').split('c').size() > 1", '3.1x'],
  ["!format.dns1123Label().validate(self.text).hasValue() && 'a%s'.format([self.text]).size() > 1", '1.006636x'],
]

describe('the cost of a rule', () => {
  it.for(rows)('F1: %s', ([rule, factor]) => {
    const refusal = `Forbidden: estimated rule cost exceeds budget by factor of ${factor}`
    expect(reported(rule)).toEqual(factor === undefined ? [] : [refusal])
  })

  it('F1: counts for a whole schema, and names the dearest rules', () => {
    const list = [10, 40, 20, 30, 50, 60].map(length => `self.text.matches('${'a'.repeat(length * 2)}')`)
    const contributed =
      'Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'
    expect(reported(...list, ...list, ...list, ...list)).toEqual([
      ...Array.from({ length: 4 }, () => contributed),
      'Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of 1.321207x',
    ])
  })

  it('F1: of all rules of an object is bounded', () => {
    const rule = '[1, 2, 3, 4, 5].all(i, self.sort().size() > i)'
    const list = Array.from({ length: 20 }, () => ({ rule }))
    const schema = readSchema({ type: 'array', maxItems: 300, items: { type: 'integer' }, [rules]: list })
    const problems = ruleProblems(
      schema,
      Array.from({ length: 300 }, (_, i) => i),
    )
    expect(problems.map(({ message }) => message)).toEqual([
      'Invalid value: "array": validation failed due to running out of cost budget, no further validation rules will be run',
    ])
  })

  it('F1: of one evaluation is bounded, and ends those after it', () => {
    const costly = 'lists.range(2000).all(i, self.all(x, x == x))'
    const list = [{ rule: 'self.size() == 1' }, { rule: costly }, { rule: 'self.size() == 2' }]
    const schema = readSchema({ type: 'array', maxItems: 300, items: { type: 'integer' }, [rules]: list })
    const problems = ruleProblems(
      schema,
      Array.from({ length: 300 }, (_, i) => i),
    )
    expect(problems.map(({ message }) => message)).toEqual([
      'Invalid value: failed rule: self.size() == 1',
      `Invalid value: "array": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${costly}`,
    ])
  })
})
