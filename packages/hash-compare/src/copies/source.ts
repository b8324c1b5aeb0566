import { type KubernetesObject, type ObjectMeta, tellable, type Whole } from '@wherry/client'
import { hashesAnnotation } from '../annotations/key.ts'
import { hashParts, type PartHashes, type Parts } from '../parts/parts.ts'
import { asyncGift } from './async-gift.ts'
import { InvalidCopyError } from './errors.ts'
import type { Fixpoints } from './fixpoints.ts'
import { type CopyKey, type Mark, marked } from './marks.ts'
import type { CopyReconcilerOptions } from './options.ts'

/** The copy that is wanted in one namespace. */
export interface WantedCopy<T> {
  readonly at: CopyKey
  readonly wanted: PartHashes
  /** Made when it is to be written. */
  object(): Whole<T>
}

type Making<P, T extends KubernetesObject> = Pick<
  CopyReconcilerOptions<P, T>,
  'source' | 'build' | 'adapt' | 'copyName'
> & {
  readonly parts: Parts<T>
}

/** One source, and what its copies are to be. */
export class Source<P, T extends KubernetesObject> {
  readonly mark: Mark
  readonly fixpoints: Fixpoints
  /** It was there when this process began: what the server makes of its copies is to be found out. */
  isCold: boolean
  /** No dry run is possible, or one was in vain. */
  cannotRehearse = false
  /** A dry run under way. Never rejects. */
  learning: Promise<void> | undefined
  /** The state that work was last spread for: copies may have the names that it gave. */
  spread: P | undefined
  readonly #making: Making<P, T>
  #current: P | undefined
  #built: { readonly copy: Whole<T> | undefined } | undefined
  /** Digests by the copy's name. */
  readonly #wanted = new Map<string, PartHashes>()

  constructor(mark: Mark, making: Making<P, T>, fixpoints: Fixpoints, isCold: boolean) {
    this.mark = mark
    this.fixpoints = fixpoints
    this.isCold = isCold
    this.#making = making
  }

  /** As it is now; `undefined`: it is gone. */
  get current(): P | undefined {
    return this.#current
  }

  set(current: P | undefined): void {
    this.#current = current
    this.#built = undefined
    this.#wanted.clear()
  }

  /** What its copy in a namespace is called, in one state of it. */
  nameIn(namespace: string, state: P): string {
    const { copyName } = this.#making
    if (copyName === undefined) return this.mark.key.slice(this.mark.key.indexOf('/') + 1)
    const name: unknown = this.#called(() => copyName(state, namespace))
    if (typeof name === 'string' && name !== '' && !name.includes('/')) return name
    throw new InvalidCopyError(this.mark.key, `in ${namespace} has no name: ${JSON.stringify(name)}`)
  }

  /** The copy that is to be in a namespace; `undefined`: none is. Throws what `build` and `adapt` throw. */
  copyIn(at: CopyKey): WantedCopy<T> | undefined {
    const source = this.#current
    if (source === undefined) return undefined
    this.#built ??= { copy: this.#build(source) }
    const { copy } = this.#built
    if (copy === undefined) return undefined
    const { adapt, parts } = this.#making
    if (adapt !== undefined) {
      const adapted = marked(this.#checked(this.#called(() => adapt(copy, at.namespace, source))), this.mark, at)
      return { at, wanted: hashParts(adapted as T, parts), object: () => adapted }
    }
    const object = (): Whole<T> => marked(copy, this.mark, at)
    let wanted = this.#wanted.get(at.name)
    if (wanted === undefined) {
      wanted = hashParts(object() as T, parts)
      this.#wanted.set(at.name, wanted)
    }
    return { at, wanted, object }
  }

  #build(source: P): Whole<T> | undefined {
    const copy = this.#called(() => this.#making.build(source))
    return copy === undefined ? undefined : this.#checked(copy)
  }

  /** What a function of the caller's gives. What it throws over a Secret is thrown on without its words. */
  #called<R>(call: () => R): R {
    try {
      return call()
    } catch (error) {
      throw tellable(this.#making.source.resource, error)
    }
  }

  #checked(copy: Whole<T>): Whole<T> {
    const given = asyncGift(copy) ?? (Array.isArray(copy) ? 'a list' : undefined)
    if (given !== undefined)
      throw new InvalidCopyError(this.mark.key, `is ${given}: build and adapt give one object, at once`)
    if (copy === null || typeof copy !== 'object') {
      throw new InvalidCopyError(this.mark.key, `is no object: ${copy === null ? 'null' : typeof copy}`)
    }
    return { ...copy, metadata: ownMetadata(copy.metadata) }
  }
}

/** Without what only a server sets, and hashes of another object: mostly it comes of a source that was spread into its copy. */
function ownMetadata({ labels, annotations, ownerReferences, finalizers }: ObjectMeta = {}): ObjectMeta {
  const { [hashesAnnotation]: _, ...own } = annotations ?? {}
  return {
    labels,
    annotations: annotations && own,
    ...(ownerReferences !== undefined && { ownerReferences }),
    ...(finalizers !== undefined && { finalizers }),
  }
}
