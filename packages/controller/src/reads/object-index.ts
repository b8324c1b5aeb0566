import { type FromServer, OptionTypeError, type View } from '@wherry/client'
import { type Check, callback, checkOptions, ignored, text, viewCheck, watched } from '@wherry/client/internal'

/** A way to find objects of a view by a value that is in them. Made by {@link indexBy}. */
export interface ObjectIndex<C> {
  readonly name: string
  /** The values that an object is found by. */
  readonly of: (object: FromServer<C>) => string | readonly string[] | undefined
}

/**
 * An index of a view's objects, for `read.list(view, { index, value })`: it finds the objects without looking at all others, and a key that lists by it runs
 * only for objects that have its value, or had it. Define it once, outside the reconcile.
 *
 * @param of returns the values that an object is found by: one, several, or `undefined` for none. It must be pure and synchronous. If it
 * throws, or returns anything else, `onError` gets the error, and the object is found by no value
 * @throws OptionTypeError
 *
 * @example
 * ```ts
 * import { configMaps } from '@wherry/client/resources/core'
 * import { ingresses } from '@wherry/client/resources/networking'
 * import { indexBy, type Operator } from '@wherry/controller'
 *
 * const byHost = indexBy(ingresses, 'host', ({ spec }) => spec?.rules?.flatMap(({ host }) => host ?? []))
 *
 * export function declare(operator: Operator): void {
 *   operator.controller('hosts').for(configMaps).caches(ingresses).reconcile(async ({ object, read, log }) => {
 *     log.info({ routes: (await read.list(ingresses, { index: byHost, value: object.data?.host ?? '' })).length }, 'routes of the host')
 *   })
 * }
 * ```
 */
export function indexBy<C>(view: View<C>, name: string, of: ObjectIndex<C>['of']): ObjectIndex<C> {
  viewCheck('indexBy.view', view)
  text('indexBy.name', name)
  callback('indexBy.of', of)
  return { name, of }
}

/** Checks the option `index`. */
export const indexCheck: Check = (option, value) => {
  checkOptions(option, value as ObjectIndex<never>, { name: text, of: callback }, ['name', 'of'])
}

/** An index of the objects of an informer. Equal names have equal functions. */
export interface SourceIndex {
  readonly name: string
  readonly of: (object: unknown) => readonly string[]
}

/** A value of an index. */
export interface IndexValue {
  readonly index: SourceIndex
  readonly value: string
}

/** The indices of one informer: those of the views that it serves. */
export class SourceIndices {
  readonly #made = new Map<string, { readonly of: unknown; readonly index: SourceIndex }>()

  /** @param project the view's projection of an object of the informer. @throws OptionTypeError for another index of the same name */
  of(view: View, { name, of }: ObjectIndex<never>, project: (object: object) => unknown): SourceIndex {
    const id = `${view.projection.name} ${name}`
    const found = this.#made.get(id)
    if (found?.of === of) return found.index
    if (found !== undefined) {
      throw new OptionTypeError(
        'list.index',
        `one index of each name: define ${name} once, outside the reconcile`,
        'another function',
      )
    }
    const values = (object: unknown): readonly string[] =>
      object == null ? [] : textsOf(name, of(project(object as object) as never))
    const index = { name: `read ${id}`, of: values }
    this.#made.set(id, { of, index })
    return index
  }
}

/** @throws OptionTypeError for a value that is neither texts nor `undefined` */
function textsOf(index: string, given: unknown): readonly string[] {
  if (given === undefined) return []
  const isList = typeof given === 'object' && given !== null && Symbol.iterator in given
  const list = isList ? [...(given as Iterable<unknown>)] : [given]
  if (list.every(one => typeof one === 'string')) return list
  // A promise is not awaited, and its error is not reported.
  const got = watched(given, ignored) ? 'a promise' : 'another value'
  throw new OptionTypeError('indexBy.of', `a function that returns a text, several, or undefined (${index})`, got)
}

/** The values of an object; none if the index function throws. */
export function valuesOf({ of }: SourceIndex, object: unknown): readonly string[] {
  try {
    return of(object)
  } catch {
    // The informer reports the error, and finds the object by no value either.
    return []
  }
}
