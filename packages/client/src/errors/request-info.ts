/** The request of an error: enough to identify it, without secrets. */
export interface RequestInfo {
  readonly method: string
  /** Path without the query. */
  readonly path: string
  /** `group/version/plural`. */
  readonly resource?: string | undefined
  /** `namespace/name`, or `name`. */
  readonly key?: string | undefined
  /** Whether the objects are secrets, so that no text of a server about them is reported. */
  readonly sensitive?: boolean | undefined
}

/** The request in words, for messages. */
export function subject(about: RequestInfo): string {
  return `${about.method} ${about.path}`
}

/** The object and the namespace that a request names. A create in a namespace names that in its path only. */
export function namesOf({ path, key }: Pick<RequestInfo, 'path' | 'key'>): {
  readonly name: string | undefined
  readonly namespace: string | undefined
} {
  const [name, namespace = /\/namespaces\/([^/]+)/.exec(path)?.[1]] = key?.split('/').reverse() ?? []
  return { name, namespace }
}
