/**
 * Paces requests. Reflectors of very many single objects share a pacer: if all their watches end at once (a server goes away, a definition
 * changes), their requests do not come at once (rule N14).
 */
export interface Pacer {
  /**
   * Returns `undefined` if the request may be sent at once. Otherwise calls `pass` when its turn comes, unless the function that it returns
   * is called before: the request is not needed any more.
   *
   * @param isFirst the reflector has no state yet, and a reader may be waiting for it.
   */
  enter(pass: () => void, isFirst: boolean): (() => void) | undefined
}
