/** Proves that the server does not serve a resource. A 404 alone is no proof. */
export interface AbsenceProof {
  /**
   * Resolves with true if the server is proved not to serve a resource now, at the requested path; with false if it does, or if there is
   * no proof. Rejects if the server does not answer.
   * @param resource `group/version/plural`; `version/plural` in the core group
   */
  isProved(resource: string, asked?: Asked): Promise<boolean>
}

/** The request that was answered with a 404, and whether its resource was read before. */
export interface Asked {
  /** Whether the request was for a namespace, in which a cluster-scoped resource is not served. @default false */
  readonly isInNamespace?: boolean | undefined
  /** Whether a state of the resource was read before. @default false */
  readonly hasState?: boolean | undefined
}
