import { createHash } from 'node:crypto'
import type { KubernetesObject } from '@wherry/client'

/** The label that copies are found by: the name of their {@link CopyReconciler}. */
export const copySetLabel = 'copies.wherry.dev/set'
/** The label that tells whose copy it is: a digest of the source's key, since a key is no label value. */
export const copySourceLabel = 'copies.wherry.dev/source'
/** The annotation that tells people the same, `set namespace/name`; a copy is known by it where its labels were taken off. */
export const copiedFromAnnotation = 'copies.wherry.dev/copied-from'

/** Names a source in labels and work items: 32 hexadecimal digits, for ever the same of one key. */
export function sourceId(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, idLength)
}

export const idLength = 32

/** Whose copy something is. */
export interface Mark {
  /** The reconciler's name. */
  readonly set: string
  readonly id: string
  /** The source's key. */
  readonly key: string
}

/** `object` with the marks of a copy. Where it is, and what it is called, is as given. */
export function marked<T extends object>(object: T, { set, id, key }: Mark, at: CopyKey): T {
  const { metadata } = object as KubernetesObject
  return {
    ...object,
    metadata: {
      ...metadata,
      ...at,
      labels: { ...metadata?.labels, [copySetLabel]: set, [copySourceLabel]: id },
      annotations: { ...metadata?.annotations, [copiedFromAnnotation]: `${set} ${key}` },
    },
  }
}

export interface CopyKey {
  readonly namespace: string
  readonly name: string
}

/** What marks are looked for on. */
export type Marked = {
  readonly metadata?:
    | {
        readonly labels?: Readonly<Record<string, string>> | undefined
        readonly annotations?: Readonly<Record<string, string>> | undefined
      }
    | undefined
}

/** The id of the source in an object's label; `undefined`: it has none. */
export function sourceIdOf({ metadata }: Marked): string | undefined {
  return metadata?.labels?.[copySourceLabel]
}

/** Whether an object is this source's copy by its labels, or, of a whole object, by its annotation. */
export function isMarked({ metadata }: Marked, { set, id, key }: Mark): boolean {
  const { labels, annotations } = metadata ?? {}
  if (labels?.[copySetLabel] === set && labels[copySourceLabel] === id) return true
  return annotations?.[copiedFromAnnotation] === `${set} ${key}`
}
