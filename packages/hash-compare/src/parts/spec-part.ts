import { OptionTypeError } from '@wherry/client'
import { checkOptions, texts } from '@wherry/client/internal'
import { hashesAnnotation } from '../annotation-key.ts'
import type { Part } from './part.ts'

/** The keys of labels or annotations that count: the listed keys, or those for which the function returns true. */
export type KeyFilter = readonly string[] | ((key: string) => boolean)

/** The labels and annotations that belong to the spec part of an object. */
export interface SpecPartOptions {
  /** The labels that count. @default all */
  readonly labels?: KeyFilter | undefined
  /** The annotations that count. @default none: most annotations belong to other programs */
  readonly annotations?: KeyFilter | undefined
}

type Strings = Readonly<Record<string, string>>
interface AnyObject {
  readonly metadata?:
    | { readonly name?: unknown; readonly labels?: Strings | null; readonly annotations?: Strings | null }
    | null
    | undefined
}

/**
 * The desired state of an object (rule H2): its name, the labels and annotations that count, and everything except `apiVersion`, `kind`, `metadata` and
 * `status`: its spec, or the `data`, `rules` and so on of a resource without a spec (ConfigMaps, Secrets, Roles). The namespace is not included, so copies
 * of an object are equal in all namespaces.
 *
 * The value has the object's own shape, so its paths are paths in the object. Missing labels equal empty labels; the same is true of annotations.
 *
 * @example
 * ```ts
 * import { hashParts, parts, specPart } from '@wherry/hash-compare'
 *
 * const content = parts({
 *   spec: specPart({ annotations: ['example.com/owner'], labels: key => !key.startsWith('hash.') }),
 * })
 * console.log(hashParts({ metadata: { name: 'settings' }, data: { colour: 'blue' } }, content))
 * ```
 */
export function specPart(options?: SpecPartOptions): Part<object> {
  if (options !== undefined) checkOptions('specPart', options, { labels: keyFilter, annotations: keyFilter })
  const labels = filterOf(options?.labels ?? (() => true))
  const annotations = filterOf(options?.annotations ?? [])
  const kept = { labels, annotations: (key: string) => key !== hashesAnnotation && annotations(key) }
  return {
    of: object => {
      const { apiVersion: _a, kind: _k, status: _s, metadata, ...rest } = object as AnyObject & Record<string, unknown>
      const { name, labels: allLabels, annotations: allAnnotations } = metadata ?? {}
      return {
        ...rest,
        metadata: {
          name,
          labels: options?.labels === undefined ? (allLabels ?? {}) : chosen(allLabels, kept.labels),
          annotations: chosen(allAnnotations, kept.annotations),
        },
      }
    },
    holds: (what, key) => kept[what](key),
  }
}

function chosen(all: Strings | null | undefined, keep: (key: string) => boolean): Strings {
  if (all === undefined || all === null) return {}
  // fromEntries makes a member of `__proto__`; an assignment would not.
  return Object.fromEntries(Object.entries(all).filter(([key]) => keep(key)))
}

function filterOf(filter: KeyFilter): (key: string) => boolean {
  if (typeof filter === 'function') return filter
  const keys = new Set(filter)
  return key => keys.has(key)
}

function keyFilter(option: string, value: unknown): void {
  if (typeof value === 'function') return
  if (!Array.isArray(value)) throw new OptionTypeError(option, 'a list of keys, or a function of a key', typeof value)
  texts(option, value)
}
