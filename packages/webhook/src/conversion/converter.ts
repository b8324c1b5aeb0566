import type { Submitted } from '../handler/context.ts'

/** What a converter receives besides the object. */
export interface ConvertContext {
  /** Aborted when the conversion is past its deadline. */
  readonly signal: AbortSignal
}

/**
 * What a converter returns: the fields of the other version. `apiVersion` and `kind` are filled in. Of `metadata`, `labels` and `annotations` are taken;
 * fields that are left out stay as they were.
 */
export type Converted<T> = Omit<T, 'apiVersion' | 'kind' | 'metadata'> & {
  readonly apiVersion?: string | undefined
  readonly kind?: string | undefined
  readonly metadata?: object | undefined
}

/**
 * Converts objects of a version to the hub and back. Both functions get one frozen object and look at nothing else. The API server also asks about objects
 * that have no spec yet, when a server-side apply creates one.
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
