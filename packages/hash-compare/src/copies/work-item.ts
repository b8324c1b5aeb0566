import { idLength } from './marks.ts'

/**
 * What work is queued by (rule H7): one copy of one source, or, when a source or a namespace has changed, the spread of that to
 * the copies that it may concern.
 */
export type WorkItem =
  | CopyItem
  | { readonly what: 'source'; readonly id: string }
  | { readonly what: 'namespace'; readonly namespace: string }

export interface CopyItem {
  readonly what: 'copy'
  readonly id: string
  readonly namespace: string
  readonly name: string
}

/** A queue compares keys as texts. No name has a slash. */
export function copyItem(id: string, namespace: string, name: string): string {
  return `${id}/${namespace}/${name}`
}

export function sourceItem(id: string): string {
  return id
}

export function namespaceItem(namespace: string): string {
  return `/${namespace}`
}

export function workItem(text: string): WorkItem {
  if (text.startsWith('/')) return { what: 'namespace', namespace: text.slice(1) }
  const id = text.slice(0, idLength)
  const slash = text.indexOf('/', idLength + 1)
  if (slash === -1) return { what: 'source', id }
  return { what: 'copy', id, namespace: text.slice(idLength + 1, slash), name: text.slice(slash + 1) }
}

/** Namespace and name of a copy. */
export function splitKey(key: string): [namespace: string, name: string] {
  const slash = key.indexOf('/')
  return [key.slice(0, slash), key.slice(slash + 1)]
}
