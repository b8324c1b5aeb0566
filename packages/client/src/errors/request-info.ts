/** Which request an error is about: enough to find it, nothing that is secret. */
export interface RequestInfo {
  readonly method: string
  /** Path without the query. */
  readonly path: string
  /** `group/version/plural`. */
  readonly resource?: string | undefined
  /** `namespace/name`, or `name`. */
  readonly key?: string | undefined
  /** The objects are secrets: nothing that a server says of them in words is told. */
  readonly sensitive?: boolean | undefined
}

/** The request in words, for messages. */
export function subject(about: RequestInfo): string {
  return `${about.method} ${about.path}`
}
