import { type CustomResource, defineCustomResource } from '@wherry/crd'
import { z } from 'zod'

interface Spec {
  players: number
  title?: string | undefined
}

interface Options {
  readonly group: 'bench.example.com'
  readonly version: 'v1'
  readonly kind: 'Game'
  readonly plural: 'games'
  readonly namespaced: true
  readonly spec: z.ZodType<Spec, { [name in keyof Spec]?: Spec[name] | undefined }>
  readonly status: z.ZodType<{ ready?: number | undefined }>
}

/** A kind that is defined with a schema library. */
export const game: CustomResource<Options> = defineCustomResource<Options>({
  group: 'bench.example.com',
  version: 'v1',
  kind: 'Game',
  plural: 'games',
  namespaced: true,
  spec: z.object({ players: z.int().min(1).max(64).default(2), title: z.string().max(20).optional() }),
  status: z.object({ ready: z.int().optional() }),
})
