import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { defineCustomResource } from './define.ts'
import type { CustomResource, NamesOf, ObjectOf, Typed, WrittenOf } from './types.ts'

const names = { group: 'arcade.example.com', version: 'v1', kind: 'Game', plural: 'games', namespaced: true } as const

const game = defineCustomResource({
  ...names,
  spec: z.object({ players: z.int().default(2) }),
  status: z.object({ phase: z.string().optional() }),
})

it('the type of a read has its defaults, the type of a write has them optional', () => {
  type Read = ObjectOf<typeof game>
  type Written = WrittenOf<typeof game>
  expectTypeOf<Read['spec']['players']>().toEqualTypeOf<number>()
  expectTypeOf<Written['spec']['players']>().toEqualTypeOf<number | undefined>()
  expectTypeOf<Read['status']>().toExtend<{ phase?: string | undefined } | undefined>()
  expectTypeOf<Written>().not.toHaveProperty('status')
})

it('names are literals, so another name does not compile', () => {
  expectTypeOf<NamesOf<typeof game>['plural']>().toEqualTypeOf<'games'>()
  // @ts-expect-error: the plural is 'games'
  const wrong = { ...names, plural: 'gamez' } as const satisfies NamesOf<typeof game>
  expectTypeOf(wrong).toBeObject()
})

it('a list kind of its own must be named in the view', () => {
  const listed = defineCustomResource({ ...names, listKind: 'Games', spec: { type: 'object' } })
  const whole = { ...names, listKind: 'Games' } as const satisfies NamesOf<typeof listed>
  expectTypeOf(whole).toBeObject()
  // @ts-expect-error: the list kind is missing
  const lacking = names satisfies NamesOf<typeof listed>
  expectTypeOf(lacking).toBeObject()
  // @ts-expect-error: the list kind is GameList
  const wrong = { ...names, listKind: 'Games' } as const satisfies NamesOf<typeof game>
  expectTypeOf(wrong).toBeObject()
})

it('types come from each library, and from elsewhere for plain JSON Schema', () => {
  const valibot = defineCustomResource({
    ...names,
    spec: toStandardJsonSchema(v.object({ a: v.optional(v.number(), 1) })),
  })
  expectTypeOf<ObjectOf<typeof valibot>['spec']>().toEqualTypeOf<{ a: number }>()
  const arktype = defineCustomResource({ ...names, spec: type({ a: 'number = 1' }) })
  expectTypeOf<ObjectOf<typeof arktype>['spec']>().toEqualTypeOf<{ a: number }>()
  const plain = defineCustomResource({ ...names, spec: { type: 'object' } as Typed<{ a?: number }, { a: number }> })
  expectTypeOf<ObjectOf<typeof plain>['spec']>().toEqualTypeOf<{ a: number }>()
  expectTypeOf<WrittenOf<typeof plain>['spec']>().toEqualTypeOf<{ a?: number }>()
  const untyped = defineCustomResource({ ...names, spec: { type: 'object' } })
  expectTypeOf<ObjectOf<typeof untyped>['spec']>().toEqualTypeOf<unknown>()
})

it('each definition is a CustomResource', () => {
  expectTypeOf(game).toExtend<CustomResource>()
})

it('the view is of the scope that the definition says', () => {
  const cluster = defineCustomResource({ ...names, namespaced: false, spec: { type: 'object' } })
  expectTypeOf(cluster.resource.namespaces).toEqualTypeOf<readonly string[] | undefined>()
  expectTypeOf(cluster.resource.resource.scope).toEqualTypeOf<'cluster'>()
})
