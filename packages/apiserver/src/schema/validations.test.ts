import { describe, expect, it } from 'vitest'
import { definitions, game, gameDefinition, games, type Kit, merge, withServer } from '../testkit/in-memory.ts'

type Raw = Record<string, unknown>

const spec = {
  type: 'object',
  properties: { low: { type: 'integer' }, high: { type: 'integer' } },
  'x-kubernetes-validations': [
    { rule: '!has(self.high) || self.low <= self.high', messageExpression: '"%d is too low".format([self.high])' },
    { rule: 'self.low >= oldSelf.low', message: 'low may only grow', fieldPath: '.low', reason: 'FieldValueForbidden' },
  ],
}

function version(schema: Raw): Raw {
  const openAPIV3Schema = { type: 'object', properties: { spec: schema } }
  return { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }
}

/** Runs `test` where games have rules. */
function withRules(test: (kit: Kit) => Promise<void>): Promise<void> {
  return withServer(async kit => {
    expect((await kit.call('POST', definitions, gameDefinition([version(spec)]))).status).toBe(201)
    await kit.sim.advance(1000)
    await test(kit)
  })
}

describe('x-kubernetes-validations', () => {
  it('F1: refuse an object, with the message that an expression makes', () =>
    withRules(async ({ call }) => {
      const { status, json } = await call('POST', games, game('a', { low: 2, high: 1 }))
      const message = 'Invalid value: 1 is too low'
      expect([status, json.details.causes]).toEqual([422, [{ reason: 'FieldValueInvalid', message, field: 'spec' }]])
      expect((await call('POST', games, game('a', { low: 1, high: 1 }))).status).toBe(201)
    }))

  it('F1: hold an update to what was before', () =>
    withRules(async ({ call }) => {
      await call('POST', games, game('a', { low: 2 }))
      const { status, json } = await call('PATCH', `${games}/a`, { spec: { low: 1 } }, merge)
      const cause = { reason: 'FieldValueForbidden', message: 'Forbidden: low may only grow', field: 'spec.low' }
      expect([status, json.details.causes]).toEqual([422, [cause]])
      expect((await call('PATCH', `${games}/a`, { spec: { low: 3 } }, merge)).status).toBe(200)
    }))

  it('F1: are checked when a definition comes', () =>
    withServer(async ({ call }) => {
      const bad = { ...spec, 'x-kubernetes-validations': [{ rule: 'self.lo > 0' }] }
      const { status, json } = await call('POST', definitions, gameDefinition([version(bad)]))
      expect([status, json.details.causes]).toEqual([
        422,
        [
          {
            reason: 'FieldValueInvalid',
            message:
              'Invalid value: {"Rule":"self.lo \\u003e 0","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:5: undefined field \'lo\'\n | self.lo > 0\n | ....^',
            field: 'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule',
          },
        ],
      ])
    }))
})
