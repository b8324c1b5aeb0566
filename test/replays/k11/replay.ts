import type { Figure } from '../harness/figure.ts'

/** Something that broke the watches of others, and what an operator on Wherry does then. */
export interface WatchReplay {
  /** Its rule in docs/guarantees/broken-watches.md. */
  readonly rule: `P${number}`
  /** What happened there. */
  readonly happened: string
  /** Where it was seen. */
  readonly threads: string
  /** What else of the input there is, as `by 20 informers`. */
  readonly variant?: string | undefined
  /** The embedded server on simulated time; or a real one through a proxy, on the machine's time. */
  readonly on: 'embedded' | 'real'
  play(): Promise<Figure[]>
}
