import { toStandardJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { defineCustomResource } from '../../definition/define.ts'
import type { CustomResource } from '../../definition/types.ts'
import { names, ofObject } from './shared.ts'

const whole = v.pipe(v.number(), v.integer())

const source = v.variant('kind', [
  v.object({ kind: v.literal('http'), url: v.string(), retries: v.pipe(whole, v.minValue(0), v.maxValue(9)) }),
  v.strictObject({ kind: v.literal('file'), path: v.string(), mode: v.optional(v.picklist(['r', 'rw'])) }),
])

/** A resource of valibot, with each case that valibot and its adapter have words for. */
export const valibotResource: CustomResource = defineCustomResource({
  ...names('Valibot'),
  ...ofObject,
  description: 'A resource that is described with valibot.',
  spec: toStandardJsonSchema(
    v.pipe(
      v.strictObject({
        replicas: v.optional(v.pipe(whole, v.minValue(0), v.maxValue(64), v.description('How many run.')), 1),
        ratio: v.optional(v.pipe(v.number(), v.gtValue(0), v.ltValue(1), v.multipleOf(0.25))),
        name: v.pipe(v.string(), v.minLength(2), v.maxLength(63), v.regex(/^[a-z]+$/), v.description('Lower case.')),
        port: v.optional(v.union([whole, v.string()])),
        mode: v.picklist(['easy', 'hard']),
        fixed: v.optional(v.literal('yes')),
        note: v.optional(v.nullable(v.string())),
        level: v.optional(v.nullable(v.picklist(['low', 'high']))),
        deadline: v.optional(v.pipe(v.string(), v.isoTimestamp())),
        day: v.optional(v.pipe(v.string(), v.isoDate())),
        contact: v.optional(v.pipe(v.string(), v.email())),
        id: v.optional(v.pipe(v.string(), v.uuid())),
        source,
        loose: v.optional(v.looseObject({ known: v.optional(v.string()) })),
        anything: v.optional(v.unknown()),
        labels: v.optional(v.record(v.string(), v.pipe(v.string(), v.maxLength(63)))),
        pair: v.optional(v.strictTuple([v.string(), v.string()])),
        matrix: v.optional(v.pipe(v.array(v.pipe(v.array(whole), v.maxLength(4))), v.maxLength(4))),
        storage: v.optional(
          v.object({ class: v.optional(v.string(), 'standard'), gigabytes: v.optional(whole, 10) }),
          {},
        ),
        both: v.optional(v.intersect([v.object({ a: v.string() }), v.object({ b: whole })])),
        text: v.optional(v.pipe(v.string(), v.title('A text'), v.maxLength(9))),
      }),
      v.description('What is wanted.'),
    ),
  ),
  status: toStandardJsonSchema(v.object({ ready: v.optional(whole), selector: v.optional(v.string()) })),
})
