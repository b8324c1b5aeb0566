import { type LabelSelector, OptionRangeError, OptionTypeError } from '@wherry/client'
import { callback, ignored, text, watched } from '@wherry/client/internal'
import type { Entry } from '../entries/entry.ts'
import type { LabelIndex } from './by-label.ts'

/** Returns the values by which an index finds an object. */
export type IndexFunction<C> = (object: C) => Iterable<string>

/** One index: the entries under each value, and the values of each. */
class Index<C> {
  readonly name: string
  /** The index function, for values of the type `C`. The parameter is `never`, so that a store of `C` can be used as a store of `unknown`. */
  readonly of: IndexFunction<never>
  readonly buckets = new Map<string, Set<Entry<C>>>()
  /** The values of an entry: a string without an array for the usual case of one value. */
  readonly values = new Map<Entry<C>, string | readonly string[]>()

  constructor(name: string, of: IndexFunction<never>) {
    this.name = name
    this.of = of
  }
}

/** The indices of a store (rule R35). */
export class Indices<C> {
  readonly #indices = new Map<string, Index<C>>()
  readonly #byLabel = new Map<string, Index<C>>()
  /** Made at its first use, so that a reader that never lists by namespace pays nothing for it. */
  #byNamespace: Map<string, Set<Entry<C>>> | undefined
  readonly #onError: (error: unknown, key: string) => void

  constructor(onError: (error: unknown, key: string) => void) {
    this.#onError = onError
  }

  add(name: string, of: IndexFunction<C>, entries: Iterable<Entry<C>>): void {
    text('index', name)
    callback(`indices.${name}`, of)
    const { label } = of as Partial<LabelIndex>
    const taken = this.#indices.get(name)
    if (taken !== undefined) {
      if (taken.of === of || (label !== undefined && label === (taken.of as Partial<LabelIndex>).label)) return
      throw new OptionRangeError('index', 'a name that no other function has', JSON.stringify(name))
    }
    const index = new Index<C>(name, of)
    this.#indices.set(name, index)
    if (label !== undefined) this.#byLabel.set(label, index)
    for (const entry of entries) {
      // The index function may have closed the store.
      if (this.#indices.get(name) !== index) return
      this.#put(index, entry, entry.value)
    }
  }

  /** Whether there is no index. */
  get isEmpty(): boolean {
    return this.#indices.size === 0 && this.#byNamespace === undefined
  }

  /** Adds an entry that is new, or has another value. */
  put(entry: Entry<C>): void {
    if (this.#byNamespace !== undefined) putUnder(this.#byNamespace, namespaceOf(entry), entry)
    if (this.#indices.size === 0) return
    const { value } = entry
    for (const index of this.#indices.values()) this.#put(index, entry, value)
  }

  remove(entry: Entry<C>): void {
    if (this.#byNamespace !== undefined) removeFrom(this.#byNamespace, namespaceOf(entry), entry)
    for (const index of this.#indices.values()) this.#remove(index, entry)
  }

  /** The entries with a value of an index. */
  under(name: string, value: string): Iterable<Entry<C>> {
    const index = this.#indices.get(name)
    if (index === undefined) {
      const names = [...this.#indices.keys()].join(', ')
      throw new OptionRangeError('list.index.name', `an index of this store (${names || 'none'})`, JSON.stringify(name))
    }
    return index.buckets.get(value) ?? []
  }

  /** The entries in a namespace; some may have no value. @param all all entries */
  within(namespace: string, all: ReadonlyMap<string, Entry<C>>): Iterable<Entry<C>> {
    if (this.#byNamespace === undefined) {
      this.#byNamespace = new Map()
      for (const entry of all.values()) putUnder(this.#byNamespace, namespaceOf(entry), entry)
    }
    return this.#byNamespace.get(namespace) ?? []
  }

  /** The entries that an index by one of the selector's labels finds, which may be too many; `undefined` without such an index. */
  selected({ requirements }: LabelSelector): Iterable<Entry<C>> | undefined {
    for (const { key, operator, values } of requirements) {
      const index = operator === 'in' ? this.#byLabel.get(key) : undefined
      if (index !== undefined) return underAny(index, values)
    }
    return undefined
  }

  clear(): void {
    this.#byNamespace = undefined
    this.#byLabel.clear()
    this.#indices.clear()
  }

  #put(index: Index<C>, entry: Entry<C>, value: Entry<C>['value']): void {
    if (entry.failure !== undefined) return this.#remove(index, entry)
    let values: string | readonly string[] | undefined
    try {
      values = valuesOf(index, value as C)
    } catch (error) {
      this.#onError(error, entry.key)
    }
    // Most changes keep the value.
    if (typeof values === 'string' && index.values.get(entry) === values) return
    this.#remove(index, entry)
    if (values === undefined) return
    index.values.set(entry, values)
    for (const value of listed(values)) putUnder(index.buckets, value, entry)
  }

  #remove({ buckets, values }: Index<C>, entry: Entry<C>): void {
    const held = values.get(entry)
    if (held === undefined) return
    values.delete(entry)
    for (const value of listed(held)) removeFrom(buckets, value, entry)
  }
}

function* underAny<C>({ buckets }: Index<C>, values: readonly string[]): Iterable<Entry<C>> {
  for (const value of values) yield* buckets.get(value) ?? []
}

function namespaceOf({ key }: Entry<unknown>): string {
  return key.slice(0, Math.max(0, key.indexOf('/')))
}

function putUnder<C>(buckets: Map<string, Set<Entry<C>>>, value: string, entry: Entry<C>): void {
  const bucket = buckets.get(value)
  if (bucket === undefined) buckets.set(value, new Set([entry]))
  else bucket.add(entry)
}

/** Removes an entry from a bucket, and the bucket if it is empty then. */
function removeFrom<C>(buckets: Map<string, Set<Entry<C>>>, value: string, entry: Entry<C>): void {
  const bucket = buckets.get(value)
  bucket?.delete(entry)
  if (bucket?.size === 0) buckets.delete(value)
}

function listed(values: string | readonly string[]): readonly string[] {
  return typeof values === 'string' ? [values] : values
}

/** Each value once; `undefined` for none. */
function valuesOf<C>({ name, of }: Index<C>, value: C): string | readonly string[] | undefined {
  const given: unknown = of(value as never)
  const takes = 'a list of strings from its function'
  if (typeof given !== 'object' || given === null || !(Symbol.iterator in given)) {
    // A promise is not awaited, and its error is not reported.
    watched(given, ignored)
    throw new OptionTypeError(`indices.${name}`, takes, typeof given)
  }
  const values = new Set(given as Iterable<unknown>)
  for (const one of values) if (typeof one !== 'string') throw new OptionTypeError(`indices.${name}`, takes, typeof one)
  const list = [...values] as string[]
  return list.length <= 1 ? list[0] : list
}
