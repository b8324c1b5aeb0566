/** What tracked reads hold at present, for metrics and for people. */
export interface TrackedReadsReport {
  /** Keys that depend on anything. */
  readonly keys: number
  /** What they depend on, counted once for each of them. */
  readonly dependencies: number
  /** Objects that are watched for them, each once; absent ones among them. */
  readonly objects: number
  /** Of those, the ones that the server is asked for from time to time instead (rule C16). */
  readonly polled: number
  /** Selections, each once. */
  readonly selections: number
}
