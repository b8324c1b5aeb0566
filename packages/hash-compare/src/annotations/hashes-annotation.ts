import type { KubernetesObject } from '@wherry/client'
import { checkOptions, integer } from '@wherry/client/internal'
import { hashesAnnotation } from '../annotation-key.ts'
import type { PartHashes } from '../parts/parts.ts'

export interface WriteHashesOptions {
  /**
   * The `metadata.generation` that the object will have once it is written: 1 for a create, that of the observed one plus 1
   * where its spec changes, else as it is. If the server's answer has another, write the hashes again with that one. Where the
   * resource has none it does no harm.
   * @default none: the resource has no generation (ConfigMaps, Secrets), or it is not to be looked at
   */
  readonly generation?: number | undefined
}

/** What {@link readHashes} finds. */
export interface WrittenHashes {
  /** Each with its version's tag. */
  readonly hashes: PartHashes
  /** As it was given when they were written. */
  readonly generation: number | undefined
  /**
   * The object's generation is not the one that was written: its spec was changed since, and the hashes are not of it. An
   * object without a generation is never outdated. `false` does not say that the hashes are of it; see the blind spot of
   * {@link readHashes}.
   */
  readonly outdated: boolean
}

/**
 * Gives a copy of an object with the hashes of its parts in the annotation `wherry.dev/hashes`: the annotation mode (rule
 * H3), for caches that keep only metadata. Take the hashes of the desired object before.
 *
 * Hashes of a Secret let guesses at its values be checked by all who may read its metadata.
 */
export function writeHashes<T extends KubernetesObject>(
  object: T,
  hashes: PartHashes,
  options?: WriteHashesOptions,
): T {
  checkOptions('writeHashes', options, { generation: integer(0) })
  const { metadata } = object
  const text = JSON.stringify({ generation: options?.generation, hashes })
  return { ...object, metadata: { ...metadata, annotations: { ...metadata?.annotations, [hashesAnnotation]: text } } }
}

/**
 * Reads the hashes that {@link writeHashes} left on an object, of which metadata is enough; `undefined` where there are none,
 * or what is there is none of ours.
 *
 * **Blind spot.** They are what somebody wrote, not what the object is. An edit by hand of the spec shows by the generation
 * (`outdated`), and labels and annotations can be compared as they are; an edit of the status does not show, nor any edit of
 * a resource without generations: the data of a ConfigMap or a Secret. Who must see those takes `hashAtIngest`.
 */
export function readHashes(object: Pick<KubernetesObject, 'metadata'>): WrittenHashes | undefined {
  const written = parsed(object.metadata?.annotations?.[hashesAnnotation])
  const { hashes, generation } = record(written)
  if (!isObject(hashes) || !(generation === undefined || typeof generation === 'number')) return undefined
  if (!Object.values(hashes).every(digest => typeof digest === 'string')) return undefined
  const current = object.metadata?.generation
  return {
    hashes: hashes as PartHashes,
    generation,
    outdated: generation !== undefined && current !== undefined && generation !== current,
  }
}

function parsed(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {}
}
