/** What a step found: each named item is one test. */
export interface Found {
  readonly passed: number
  /** What failed, a line (or a block) for each. Its length counts when `failedCount` is not given. */
  readonly failures: readonly string[]
  readonly failedCount?: number | undefined
  /** Measured figures and the like, printed below the step. */
  readonly notes?: readonly string[] | undefined
}

export interface Options {
  /**
   * Whether suites run whole: with real API servers, and with all seeds of CI. If not, tests of a real API server are left
   * out, and a random suite runs a tenth of its seeds.
   */
  readonly whole: boolean
  /** Seeds for the random suites; each suite has its own default. */
  readonly seeds?: number | undefined
  /** The seed of the property tests: two runs with one seed try the same. */
  readonly propertySeed: number
  /** Whether steps were asked for by their names. */
  readonly isNamed: boolean
  /** True in CI, where a skipped test is a failure. */
  readonly ci: boolean
}

/** One check or suite of `npm test`. */
export interface Step {
  readonly name: string
  /** Whether it prints its own output as it goes. */
  readonly live?: boolean | undefined
  /** Whether it keeps all cores busy by itself, measures something, or makes what later steps need: no other step runs at the same time. */
  readonly alone?: boolean | undefined
  /** What the step may take at most, in milliseconds. A step that overruns is a failure. */
  readonly limitMs: number
  run(options: Options): Promise<Found>
}

/** Sums up one command that is one test. */
export function fromCommand(ended: { readonly code: number | undefined; readonly output: string }): Found {
  return ended.code === 0 ? { passed: 1, failures: [] } : { passed: 0, failures: [ended.output.trim()] }
}

/** Ends a step as failed; its message says all there is to say. Any other throw is shown with its stack. */
export class StepError extends Error {}
