/** An operator in Go on controller-runtime, as `test/bench/go/replay.go` reads it from its environment. */
export interface GoPeer {
  readonly name: string
  /** Kinds of core that it caches. */
  readonly kinds: readonly string[]
  /** `whole`; `metadata`; `keys`: metadata without all but name and version; `phase`: of pods the phase, the conditions and the node. */
  readonly keeps: 'whole' | 'metadata' | 'keys' | 'phase'
  /** @default all */
  readonly namespaces?: readonly string[] | undefined
  /** Objects that it reads by their names, each from the server: `NAMESPACE/NAME`. @default none */
  readonly reads?: readonly string[] | undefined
}
