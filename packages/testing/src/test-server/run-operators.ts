import { subscribe, unsubscribe } from 'node:diagnostics_channel'

/** The operator that `@wherry/controller` publishes when it runs, with the members that are used here. */
interface RunOperator {
  readonly name: string
  /** Whether its end has begun. */
  readonly isEnding: () => boolean
  readonly close: () => Promise<void>
  /** Makes `settled` reject. Missing in an older `@wherry/controller`. */
  readonly giveUp?: (error: Error) => void
  readonly state?: () => { readonly controllers: readonly { readonly loops?: readonly string[] }[] }
}

/** The channel on which an operator of `@wherry/controller` publishes itself, so that the package need not be imported. */
const started = 'wherry.operator.start'

/** The operators of this process that are run from now on, until `close`. */
export class RunOperators {
  readonly #operators: RunOperator[] = []
  readonly #note = (message: unknown): void => {
    this.#operators.push(message as RunOperator)
  }

  constructor() {
    subscribe(started, this.#note)
  }

  /** A sentence for each key that does not come to rest. */
  get loops(): readonly string[] {
    return this.#operators.flatMap(one => one.state?.().controllers.flatMap(({ loops = [] }) => loops) ?? [])
  }

  /** Makes each `settled` reject with this error, which helps more than the error that the operators do not come to rest. */
  giveUp(error: Error): void {
    for (const one of this.#operators) one.giveUp?.(error)
  }

  /** Closes the operators that are still open, because they would keep the process alive. Rejects with their names, if there are any. */
  async close(): Promise<void> {
    unsubscribe(started, this.#note)
    const left = this.#operators.filter(one => !one.isEnding())
    await Promise.all(left.map(one => one.close()))
    if (left.length === 0) return
    const names = left.map(({ name }) => name).join(', ')
    throw new Error(
      `the test left an operator running, which would keep the process alive: ${names}. Give it to closeAfterTest`,
    )
  }
}
