import type { KubernetesObject } from '@wherry/client'
import { checkOptions, integer } from '@wherry/client/internal'
import { hashesAnnotation } from '../annotation-key.ts'
import type { PartHashes } from '../parts/parts.ts'

/** Options of {@link writeHashes}. */
export interface WriteHashesOptions {
  /**
   * The `metadata.generation` that the object will have after the write: 1 for a create, that of the observed object plus 1 if its spec changes,
   * else the same. If the server's answer has another generation, write the hashes again with that. The option has no effect for resources without generations.
   * @default none: the resource has no generation (ConfigMaps, Secrets), or it should not be compared
   */
  readonly generation?: number | undefined
}

/** The result of {@link readHashes}. */
export interface WrittenHashes {
  /** The hash of each part, with its version's tag. */
  readonly hashes: PartHashes
  /** The generation that was given when the hashes were written. */
  readonly generation: number | undefined
  /**
   * Whether the object's generation differs from the written one: its spec has changed since, so the hashes do not match it. An object without a generation is
   * never outdated. `false` does not prove that the hashes match; see the blind spot of {@link readHashes}.
   */
  readonly outdated: boolean
}

/**
 * Returns a copy of an object with the hashes of its parts in the annotation `wherry.dev/hashes`: the annotation mode (rule H3), for caches that
 * keep only metadata. Hash the desired object first.
 *
 * Every user that may read a Secret's metadata can check guesses at its values against hashes in an annotation.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { configMaps } from '@wherry/client/resources/core'
 * import { hashParts, parts, specPart, writeHashes } from '@wherry/hash-compare'
 *
 * const content = parts({ spec: specPart() })
 * const desired = { metadata: { name: 'settings', namespace: 'arcade' }, data: { colour: 'blue' } }
 * const client = await Client.connect()
 * await client.create(configMaps, writeHashes(desired, hashParts(desired, content)))
 * ```
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
 * Reads the hashes that {@link writeHashes} left on an object, from its metadata alone; `undefined` if there are none, or the annotation is
 * not valid.
 *
 * **Blind spot.** The hashes are those of the last write, and not those of the present object. The generation shows an edit of the spec (`outdated`),
 * and you can compare labels and annotations directly. An edit of the status does not show, nor any edit of a resource without generations, such as
 * the data of a ConfigMap or a Secret. To see these edits, use `hashAtIngest`.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { configMaps } from '@wherry/client/resources/core'
 * import { compareParts, hashParts, parts, readHashes, specPart } from '@wherry/hash-compare'
 *
 * const content = parts({ spec: specPart() })
 * const desired = { metadata: { name: 'settings', namespace: 'arcade' }, data: { colour: 'blue' } }
 * const client = await Client.connect()
 * const observed = await client.get(configMaps.metadata(), desired.metadata)
 * const written = observed && readHashes(observed)
 * if (written !== undefined) console.log(compareParts(hashParts(desired, content), written.hashes)) // []: equal
 * ```
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
