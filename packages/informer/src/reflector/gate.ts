/**
 * Lets requests through at a pace. Reflectors of very many single objects share one, so that what ends all their watches at
 * once (a server that goes away, a definition that changes) does not bring all their requests at once (rule N14).
 */
export interface Gate {
  /**
   * Lets it through at once, and returns `undefined`. Or calls `pass` when its turn comes, unless the returned function is called
   * first: it does not want to any more.
   *
   * @param isFirst there is no state yet, and somebody may be waiting for it.
   */
  enter(pass: () => void, isFirst: boolean): (() => void) | undefined
}
