import { hash } from '@wherry/hash-compare'
import { watched } from '@wherry/informer/parts'
import type { Reader } from './reader.ts'
import type { Target } from './target.ts'

/** A part of an object that was read, and a digest of what it was. */
interface Part {
  readonly select: (object: never) => unknown
  digest: string
}

/** What a part of an object is where there is none: what the reader was given is the same. */
const nothing = ''
/** What it is where it can't be told: never the same twice. */
const unknown = '?'

/** That one run of a key has read a target, and what of it. */
export class Link {
  readonly reader: Reader
  readonly target: Target
  #isWhole = false
  #isSuspended = false
  #parts: Part[] | undefined

  constructor(reader: Reader, target: Target) {
    this.reader = reader
    this.target = target
  }

  get tracks(): 'whole' | 'selected' {
    return this.#isWhole ? 'whole' : 'selected'
  }

  /** All of it was read. */
  whole(): void {
    this.#isWhole = true
    this.#parts = undefined
  }

  /**
   * What `select` gives was read of `object`, and is returned. Where it can't be tracked, all of the object is.
   * @throws what `select` throws, or a NotJsonError for what it gives
   */
  part<V>(select: (object: never) => V, object: unknown): V | undefined {
    let digest = unknown
    try {
      const selected = selectedOf(select, object)
      digest = digestOf(selected)
      return selected
    } finally {
      if (digest === unknown) this.whole()
      else if (!this.#isWhole) {
        this.#parts ??= []
        this.#parts.push({ select, digest })
      }
    }
  }

  /** The reader is writing the object: what happens to it meanwhile is looked at when that is over. */
  suspend(): void {
    this.#isSuspended = true
  }

  /** The reader knows the object as `object` from now on. */
  resume(object: unknown): void {
    this.#isSuspended = false
    for (const part of this.#parts ?? []) part.digest = digestNow(part, () => object)
  }

  /** Whether what was read is something else now. Asked once for each change. */
  hasChanged(object: () => unknown): boolean {
    if (this.#isSuspended) return false
    if (this.#isWhole) return true
    let hasChanged = false
    for (const part of this.#parts ?? []) {
      const digest = digestNow(part, object)
      if (digest !== part.digest || digest === unknown) hasChanged = true
      part.digest = digest
    }
    return hasChanged
  }
}

function digestNow({ select }: Part, object: () => unknown): string {
  try {
    return digestOf(selectedOf(select, object()))
  } catch {
    // The run that this brings about meets the error itself.
    return unknown
  }
}

function selectedOf<V>(select: (object: never) => V, object: unknown): V | undefined {
  if (object === undefined) return undefined
  const selected = select(object as never)
  // That it is a promise, and so no JSON, is said in any case: how it ends is not.
  watched(selected, () => {})
  return selected
}

function digestOf(value: unknown): string {
  return value === undefined ? nothing : hash(value, { integers: 'bigint' })
}
