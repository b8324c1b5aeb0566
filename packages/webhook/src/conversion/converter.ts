import type { Submitted } from '../handler/context.ts'

/** The context that a converter receives in addition to the object. */
export interface ConvertContext {
  /** Aborted when the conversion is past its deadline. */
  readonly signal: AbortSignal
}

/**
 * What a converter returns: the fields of the other version. `apiVersion` and `kind` are filled in. From `metadata`, only `labels` and `annotations`
 * are used; if they are left out, they stay unchanged.
 */
export type Converted<T> = Omit<T, 'apiVersion' | 'kind' | 'metadata'> & {
  readonly apiVersion?: string | undefined
  readonly kind?: string | undefined
  readonly metadata?: object | undefined
}

/**
 * Converts objects of a version to the hub and back. Both functions receive a frozen object, and their result must depend only on that object. When a
 * server-side apply creates an object, the API server also converts objects that have no spec yet.
 */
export interface Converter<V, H> {
  toHub(object: Submitted<V>, context: ConvertContext): Converted<H> | Promise<Converted<H>>
  fromHub(object: Submitted<H>, context: ConvertContext): Converted<V> | Promise<Converted<V>>
}

/** A function of a converter, whatever its types. */
export type AnyConvert = (object: never, context: ConvertContext) => unknown

/** An object that is converted. */
export interface ConvertibleObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: Readonly<Record<string, unknown>>
  readonly [field: string]: unknown
}
