import { LabelSelector, OptionRangeError, type Scope } from '@wherry/client'
import { anything, callback, checkOptions, checkSegment, type KeyOf, text } from '@wherry/client/internal'
import type { Entry } from '../entries/entry.ts'
import { checkKey } from '../entries/identity.ts'
import { LabelsNotKeptError, TransformError } from '../errors.ts'
import type { Journal } from '../journal/journal.ts'
import type { KeyedListerOptions, Lister, ObjectVersion } from '../lister.ts'
import type { Contents } from './contents.ts'
import type { Indices } from './indices.ts'
import { labelsOf, type Transformer } from './transformer.ts'

export interface ListerParts<C> {
  readonly contents: Contents<C>
  readonly indices: Indices<C>
  readonly journal: Journal<C>
  readonly transformer: Transformer<C>
}

/** Reads what a plain store holds. */
export class PlainLister<C, S extends Scope> implements Lister<C, S> {
  readonly #parts: ListerParts<C>
  #ended: Error | undefined

  constructor(parts: ListerParts<C>) {
    this.#parts = parts
  }

  /** From now on every read throws the reason. */
  end(why: Error): void {
    this.#ended ??= why
  }

  /** Throws that reason once there is one. */
  checkLive(): void {
    if (this.#ended !== undefined) throw this.#ended
  }

  get size(): number {
    return this.#live.contents.entries.size
  }

  get(key: KeyOf<S> | string): C | undefined {
    const value = this.#entry(key)?.value
    if (value instanceof TransformError) throw new TransformError(value.view, value.key, value.cause)
    return value
  }

  version(key: KeyOf<S> | string): ObjectVersion | undefined {
    const entry = this.#entry(key)
    return entry && { uid: entry.uid, resourceVersion: entry.resourceVersion }
  }

  keys(): IterableIterator<string> {
    return this.#keysOf(this.#live.contents)
  }

  failed(): readonly string[] {
    const { contents } = this.#live
    const keys = [...contents.stale.keys()].map(({ key }) => key)
    for (const { key } of failedOf(contents)) keys.push(key)
    return keys
  }

  list(options: KeyedListerOptions = {}): C[] {
    checkOptions('list', options, { namespace: anything, labels: anything, index: checkIndex, keys: callback })
    const { contents, indices, transformer, journal } = this.#live
    const { namespace, labels, index, keys } = options
    if (namespace !== undefined) checkSegment('namespace', namespace)
    const selector = LabelSelector.of(labels === undefined ? LabelSelector.everything : labels, 'list.labels')
    if (selector.text !== '' && transformer.dropsLabels) throw new LabelsNotKeptError(journal.view.key)
    const indexed = index === undefined ? labelled(indices, selector) : indices.under(index.name, index.value)
    const isOne = namespace === undefined || journal.view.namespaces?.length === 1
    const start = namespace === undefined ? '' : `${namespace}/`
    const candidates = indexed ?? (isOne ? contents.entries.values() : indices.within(namespace, contents.entries))
    const values: C[] = []
    for (const entry of candidates) {
      if (entry.failure !== undefined || !entry.key.startsWith(start)) continue
      if (keys !== undefined && !keys(entry.key)) continue
      const value = entry.value as C
      if (selector.text === '' || selector.matches(labelsOf(value))) values.push(value)
    }
    return values
  }

  *#keysOf({ entries }: Contents<C>): IterableIterator<string> {
    for (const key of entries.keys()) {
      this.checkLive()
      yield key
    }
  }

  get #live(): ListerParts<C> {
    this.checkLive()
    return this.#parts
  }

  #entry(key: KeyOf<S> | string): Entry<C> | undefined {
    const { contents, journal } = this.#live
    // What is there has a key that is right; only of what is not there it must be asked.
    const entry = typeof key === 'string' ? contents.entries.get(key) : undefined
    return entry ?? contents.entries.get(checkKey(journal.view.resource, key))
  }
}

/** What an index for one of the labels has; `undefined` where there is none. */
function labelled<C>(indices: Indices<C>, selector: LabelSelector): Iterable<Entry<C>> | undefined {
  for (const { key, operator, values } of selector.requirements) {
    const found = operator === 'in' ? indices.labelled(key, values) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

/** What is there without a value. */
export function* failedOf<C>(contents: Contents<C>): Iterable<Entry<C>> {
  let left = contents.failed
  if (left === 0) return
  for (const entry of contents.entries.values()) {
    if (entry.failure === undefined) continue
    yield entry
    if (--left === 0) return
  }
}

function checkIndex(option: string, value: unknown): void {
  checkOptions(option, value, { name: text, value: anything })
  const { name, value: under } = value as { readonly name?: unknown; readonly value?: unknown }
  if (name === undefined || typeof under !== 'string') {
    throw new OptionRangeError(option, '{ name, value }, both strings', 'something else')
  }
}
