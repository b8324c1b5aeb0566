import { compareResourceVersions, type KubernetesObject, type PartialObjectMetadata, type Whole } from '@wherry/client'
import { readHashes, writeHashes } from '../annotations/hashes-annotation.ts'
import { hash } from '../canonical/hash.ts'
import type { Part } from '../parts/part.ts'
import { hashParts, type PartHashes, type Parts } from '../parts/parts.ts'
import type { Fixpoints } from './fixpoints.ts'
import type { WantedCopy } from './source.ts'

/** What no part is called: the labels and annotations that parts hold, which metadata shows. */
const visible = ''

/**
 * The mode `annotations` (rule H3): what copies say of themselves, by hashes of what was wanted of them when they were written, and
 * whether that is to be believed. It is not where their generation, or labels and annotations that count, are others than then, nor
 * where they were changed since by somebody else as far as was heard.
 */
export class Claims<T extends KubernetesObject> {
  readonly #parts: Parts<T>
  /** Copies that somebody else has changed, with the newest resourceVersion that was heard of them. */
  readonly #suspects = new Map<string, string>()
  readonly #visible = new WeakMap<PartHashes, string>()
  /** Whether the server counts a change of annotations as one of the generation, as it does with Deployments. */
  #annotationsCount = false

  constructor(parts: Parts<T>) {
    this.#parts = parts
  }

  /** Somebody else has changed a copy, or may have: it has to be read. */
  suspect(copy: string, resourceVersion: string | undefined): void {
    this.#suspects.set(copy, resourceVersion ?? '')
  }

  /** A copy is gone. */
  forget(copy: string): void {
    this.#suspects.delete(copy)
  }

  /** Whether a copy is as wanted, by its metadata. */
  hold(observed: PartialObjectMetadata, copy: WantedCopy<T>, fixpoints: Fixpoints): boolean {
    const key = `${copy.at.namespace}/${copy.at.name}`
    if (this.#suspects.has(key) || !this.areOn(observed, copy.wanted)) return false
    const wanted = this.#visibleIn(copy)
    const held = this.#visibleOf(observed)
    return wanted === held || fixpoints.accepts(visible, wanted, held, key)
  }

  /** Whether what stands on a copy is what is wanted, and of the generation that it has. */
  areOn(object: Pick<KubernetesObject, 'metadata'>, wanted: PartHashes): boolean {
    const written = readHashes(object)
    if (written === undefined || written.outdated) return false
    return this.#parts.names.every(part => wanted[part] === undefined || written.hashes[part] === wanted[part])
  }

  /**
   * A copy was read, or written and answered: labels and annotations of an object that is as wanted are as the server makes them.
   */
  learn(object: T, copy: WantedCopy<T>, fixpoints: Fixpoints): void {
    const key = `${copy.at.namespace}/${copy.at.name}`
    fixpoints.learn(visible, this.#visibleIn(copy), this.#visibleOf(object), key)
    const suspect = this.#suspects.get(key)
    if (suspect !== undefined && compareResourceVersions(object.metadata?.resourceVersion, suspect) !== 'older') {
      this.#suspects.delete(key)
    }
  }

  /**
   * The wanted copy with the hashes of what it will be by a write that is not of its status.
   * @param accepts whether the server makes this digest of a part of it
   */
  on(
    copy: WantedCopy<T>,
    held: T | undefined,
    accepts: (part: string, digest: string | undefined) => boolean,
  ): Whole<T> {
    const there: PartHashes = held === undefined ? {} : hashParts(held, this.#parts)
    const names = this.#parts.names.filter((name, i) => {
      if ((this.#parts.list[i] as Part<T>).subresource !== 'status') return true
      return held !== undefined && (copy.wanted[name] === there[name] || accepts(name, there[name]))
    })
    const object = copy.object()
    const generation = held === undefined ? 1 : this.#generationAfter(held, this.#contentDiffers(object, held))
    return this.#with(object, copy, names, generation)
  }

  /** The wanted copy with the hashes of all its parts, where nothing of it is to be changed. */
  onceMore(copy: WantedCopy<T>, held: T): Whole<T> {
    return this.#with(copy.object(), copy, this.#parts.names, this.#generationAfter(held, false))
  }

  /** Notes what the server made of the generation when annotations were written, and nothing else. */
  annotated(held: T, answer: T): void {
    this.#annotationsCount = held.metadata?.generation !== answer.metadata?.generation
  }

  #with(
    object: Whole<T>,
    { wanted }: WantedCopy<T>,
    names: readonly string[],
    generation: number | undefined,
  ): Whole<T> {
    const hashes = Object.fromEntries(names.map(name => [name, wanted[name]]))
    return writeHashes(object as T, hashes, { generation }) as Whole<T>
  }

  #generationAfter({ metadata }: T, isChanged: boolean): number | undefined {
    const generation = metadata?.generation
    return generation === undefined ? undefined : generation + (isChanged || this.#annotationsCount ? 1 : 0)
  }

  /** Whether a write would change more than metadata, as far as can be told: the server may make what is held of it. */
  #contentDiffers(object: Whole<T>, held: T): boolean {
    const hasSubresource = this.#parts.list.some(part => part.subresource === 'status')
    const content = (of: object): string => {
      const { apiVersion: _, kind: __, metadata: ___, status, ...rest } = of as Readonly<Record<string, unknown>>
      return hash(hasSubresource ? rest : { ...rest, status })
    }
    return content(object) !== content(held)
  }

  #visibleIn({ wanted, object }: WantedCopy<T>): string {
    let digest = this.#visible.get(wanted)
    if (digest === undefined) {
      digest = this.#visibleOf(object() as T)
      this.#visible.set(wanted, digest)
    }
    return digest
  }

  #visibleOf({ metadata }: Pick<KubernetesObject, 'metadata'>): string {
    const held = (what: 'labels' | 'annotations'): object =>
      Object.fromEntries(
        Object.entries(metadata?.[what] ?? {}).filter(([key]) =>
          this.#parts.list.some(part => part.holds?.(what, key)),
        ),
      )
    return hash({ labels: held('labels'), annotations: held('annotations') })
  }
}
