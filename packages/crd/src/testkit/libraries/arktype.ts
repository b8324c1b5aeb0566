import { type } from 'arktype'
import { defineCustomResource } from '../../definition/define.ts'
import type { CustomResource } from '../../definition/types.ts'
import { names, ofObject } from './shared.ts'

const source = type({ kind: "'http'", url: 'string', retries: '0 <= number.integer <= 9' }).or({
  kind: "'file'",
  path: 'string',
  'mode?': "'r' | 'rw'",
})

/** A resource of arktype, with each case that arktype has words for. */
export const arktypeResource: CustomResource = defineCustomResource({
  ...names('Arktype'),
  ...ofObject,
  description: 'A resource that is described with arktype.',
  spec: type({
    replicas: '0 <= number.integer <= 64 = 1',
    'ratio?': '0 < number < 1',
    'step?': 'number % 2',
    name: type('2 <= string <= 63').describe('A short name.'),
    'letters?': /^[a-z]+$/,
    'port?': 'string | number.integer',
    mode: "'easy' | 'hard'",
    'fixed?': "'yes'",
    'note?': 'string | null',
    'level?': "'low' | 'high' | null",
    'contact?': 'string.email',
    'id?': 'string.uuid',
    source,
    'strict?': type({ known: 'string' }).onUndeclaredKey('reject'),
    'loose?': 'Record<string, unknown>',
    'anything?': 'unknown',
    'labels?': { '[string]': 'string <= 63' },
    'pair?': ['string', 'string'],
    'matrix?': 'number.integer[][]',
    'storage?': { class: "string = 'standard'", gigabytes: 'number.integer = 10' },
    'both?': type({ a: 'string' }).and({ b: 'number.integer' }),
    'text?': type('string').pipe(text => text.length),
  }),
  status: type({ 'ready?': 'number.integer', 'selector?': 'string' }),
})
