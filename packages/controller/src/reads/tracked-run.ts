import type { View } from '@wherry/client'
import { abortSignal, anything, type Check, callback, checkOptions } from '@wherry/client/checks'
import { checkView } from '../objects/check-view.ts'
import { ReadClosedError } from './errors.ts'
import { Link } from './link.ts'
import type { Read, ReadKey, ReadOptions, SelectionOptions, SelectOptions } from './read.ts'
import { leave, type Reader } from './reader.ts'
import type { Run } from './run.ts'
import type { Selection } from './selection.ts'
import type { Target } from './target.ts'
import type { TrackedObject } from './tracked-object.ts'

/** Where a run finds what it reads. */
export interface Sources {
  object(view: View, key: ReadKey, primary: string | undefined): TrackedObject
  selection(view: View, options: SelectionOptions): Selection
  /** Resolves when it is known how an object can be read. */
  ready(object: TrackedObject, signal: AbortSignal | undefined): Promise<void>
  peek(view: View, key: ReadKey, primary: string | undefined, signal: AbortSignal | undefined): Promise<unknown>
}

const getChecks: Readonly<Record<keyof SelectOptions<unknown, unknown>, Check>> = {
  signal: abortSignal,
  select: callback,
}
const listChecks: Readonly<Record<keyof SelectionOptions, Check>> = {
  signal: abortSignal,
  namespace: anything,
  labels: anything,
}

type Select = (object: never) => unknown

/** A run of a key, and what it has read so far. What it reads is subscribed to from that moment on (rule C13). */
export class TrackedRun implements Run {
  readonly read: Read
  readonly #reader: Reader
  readonly #sources: Sources
  readonly #primary: string | undefined
  readonly #signal: AbortSignal | undefined
  readonly #links = new Map<Target, Link>()
  #hasEnded = false

  constructor(reader: Reader, sources: Sources, primary: string | undefined, signal: AbortSignal | undefined) {
    this.#reader = reader
    this.#sources = sources
    this.#primary = primary
    this.#signal = signal
    const read = {
      get: (view: View, key: ReadKey, options?: Partial<SelectOptions<never, unknown>>) =>
        quiet(this.#get(view, key, options)),
      list: (view: View, options?: SelectionOptions) => quiet(this.#list(view, options)),
      peek: (view: View, key: ReadKey, options?: ReadOptions) => quiet(this.#peek(view, key, options)),
    }
    this.read = read as Read
  }

  succeed(): void {
    if (this.#end()) this.#reader.succeed([...this.#links.values()])
  }

  fail(): void {
    if (this.#end()) this.#reader.fail([...this.#links.values()])
  }

  /** What it has read does not matter any more. */
  cancel(): void {
    if (this.#end()) leave([...this.#links.values()])
  }

  async #get(view: View, key: ReadKey, options: Partial<SelectOptions<never, unknown>> = {}): Promise<unknown> {
    this.#mustLive()
    checkView('view', view)
    checkOptions('get', options, getChecks)
    const signal = this.#bounded(options.signal)
    signal?.throwIfAborted()
    const object = this.#sources.object(view, key, this.#primary)
    object.pin()
    try {
      return await this.#readObject(object, options.select, signal)
    } finally {
      object.unpin()
    }
  }

  async #readObject(
    object: TrackedObject,
    select: Select | undefined,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    for (const isFirst of [true, false]) {
      // From here to the link nothing is waited for: what happens later is heard.
      const known = object.peek()
      if (known?.error !== undefined) return this.#untold(object, known.error)
      if (known !== undefined) {
        const value = known.state === undefined ? undefined : object.feed.value(known.state)
        return this.#taken(object, value, select)
      }
      if (isFirst) await this.#sources.ready(object, signal)
      this.#mustLive()
    }
    const answer = await object.feed.live(signal)
    this.#mustLive()
    // What was heard meanwhile may be newer than the answer.
    if (object.heard !== answer.heard) object.tellAgain(this.#reader)
    if (answer.error !== undefined) return this.#untold(object, answer.error)
    return this.#taken(object, answer.value, select)
  }

  async #list(view: View, options: SelectionOptions = {}): Promise<unknown[]> {
    this.#mustLive()
    checkView('view', view)
    checkOptions('list', options, listChecks)
    const signal = this.#bounded(options.signal)
    signal?.throwIfAborted()
    const selection = this.#sources.selection(view, options)
    selection.pin()
    try {
      for (;;) {
        const objects = selection.list()
        if (objects !== undefined) {
          this.#link(selection).whole()
          return objects
        }
        await selection.ready(signal)
        this.#mustLive()
      }
    } finally {
      selection.unpin()
    }
  }

  async #peek(view: View, key: ReadKey, options: ReadOptions = {}): Promise<unknown> {
    this.#mustLive()
    checkView('view', view)
    checkOptions('peek', options, { signal: abortSignal })
    const signal = this.#bounded(options.signal)
    signal?.throwIfAborted()
    return this.#sources.peek(view, key, this.#primary, signal)
  }

  /** That it could not be transformed is something to depend on, too, for who goes on from there. */
  #untold(object: TrackedObject, error: Error): never {
    this.#link(object).whole()
    throw error
  }

  #taken(object: TrackedObject, value: unknown, select: Select | undefined): unknown {
    const link = this.#link(object)
    if (select !== undefined) return link.part(select, value)
    link.whole()
    return value
  }

  #link(target: Target): Link {
    const found = this.#links.get(target)
    if (found !== undefined) return found
    const link = new Link(this.#reader, target)
    this.#links.set(target, link)
    target.join(link)
    return link
  }

  /** @throws ReadClosedError */
  #mustLive(): void {
    if (this.#hasEnded) throw new ReadClosedError(this.#reader.key)
  }

  #bounded(signal: AbortSignal | undefined): AbortSignal | undefined {
    if (signal === undefined || this.#signal === undefined) return signal ?? this.#signal
    return AbortSignal.any([signal, this.#signal])
  }

  /** Gives whether it had not ended before. */
  #end(): boolean {
    if (this.#hasEnded) return false
    this.#hasEnded = true
    this.#reader.run = undefined
    return true
  }
}

/** A read that a reconcile did not wait for must not end the process when it fails (rule X9). */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}
