/** Proves that the server does not serve a resource. A 404 alone is no proof. */
export interface AbsenceProof {
  /**
   * Whether it is proved that the server does not serve a resource now, at the path that was asked for; `false`: it does, or that
   * can't be known. Rejects if the server gives no answer.
   * @param resource `group/version/plural`; `version/plural` in the core group
   */
  isProved(resource: string, asked?: Asked): Promise<boolean>
}

/** The request that was answered with a 404, and the objects that are held of the resource. */
export interface Asked {
  /** The request named a namespace. A cluster-scoped resource is not served there. @default false */
  readonly isInNamespace?: boolean | undefined
  /** A state of the resource was read before. @default false */
  readonly hasState?: boolean | undefined
}
