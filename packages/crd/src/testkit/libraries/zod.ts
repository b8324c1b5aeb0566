import { z } from 'zod'
import { defineCustomResource } from '../../definition/define.ts'
import type { CustomResource } from '../../definition/types.ts'
import { names, ofObject, rule } from './shared.ts'

const address = z.object({ host: z.string().min(1), port: z.int32().min(1).max(65_535) }).meta({ id: 'Address' })

const source = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('http'), url: z.string(), retries: z.int().min(0).max(9) }),
  z.strictObject({ kind: z.literal('file'), path: z.string(), mode: z.enum(['r', 'rw']).optional() }),
])

/** A resource of zod, with each case that zod has words for. */
export const zodResource: CustomResource = defineCustomResource({
  ...names('Zod'),
  ...ofObject,
  description: 'A resource that is described with zod.',
  spec: z
    .strictObject({
      replicas: z.int().min(0).max(64).default(1).describe('How many run.'),
      ratio: z.number().gt(0).lt(1).multipleOf(0.25).optional(),
      size: z.int32().optional(),
      name: z
        .string()
        .min(2)
        .max(63)
        .regex(/^[a-z]+$/)
        .describe('Lower-case letters.'),
      port: z.union([z.int(), z.string()]).optional(),
      mode: z.enum(['easy', 'hard']).meta({ 'x-kubernetes-validations': [rule('self == oldSelf', 'is immutable')] }),
      fixed: z.literal('yes').optional(),
      note: z.string().nullable().optional(),
      level: z.enum(['low', 'high']).nullable().optional(),
      deadline: z.iso.datetime().optional(),
      day: z.iso.date().optional(),
      contact: z.email().optional(),
      id: z.uuid().optional(),
      source,
      primary: address.describe('Where it is first looked for.'),
      secondary: address.optional(),
      loose: z.looseObject({ known: z.string().optional() }).optional(),
      anything: z.unknown().optional(),
      labels: z.record(z.string(), z.string().max(63)).optional(),
      limits: z.partialRecord(z.enum(['cpu', 'memory']), z.string()).optional(),
      pair: z.tuple([z.string(), z.string()]).optional(),
      matrix: z.array(z.array(z.int()).max(4)).max(4).optional(),
      even: z
        .int()
        .max(100)
        .refine(n => n % 2 === 0)
        .meta({ 'x-kubernetes-validations': [rule('self % 2 == 0', 'must be even')] })
        .optional(),
      storage: z.object({ class: z.string().default('standard'), gigabytes: z.int().default(10) }).prefault({}),
      both: z.intersection(z.object({ a: z.string() }), z.object({ b: z.int() })).optional(),
      text: z.string().transform(Number).optional(),
      containers: z
        .array(z.object({ name: z.string(), image: z.string().optional() }))
        .max(16)
        .optional()
        .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }),
      tags: z.array(z.string()).max(8).optional().meta({ 'x-kubernetes-list-type': 'set' }),
    })
    .describe('What is wanted.'),
  status: z.object({ ready: z.int().optional(), selector: z.string().optional() }),
})
