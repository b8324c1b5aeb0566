import { CelError } from '../values.ts'

/** The maximum cost of an evaluation, in the server's units. */
const mostPerEvaluation = 1_000_000

/** Ends an evaluation that costs too much. No other part of the expression can hide this error. */
export class TooCostlyError extends CelError {
  constructor() {
    super('operation cancelled: actual cost limit exceeded')
  }
}

/** Adds up the cost of an evaluation. */
export class Meter {
  #spent = 0

  get spent(): number {
    return this.#spent
  }

  spend(cost: number): void {
    this.#spent += cost
    if (this.#spent > mostPerEvaluation) throw new TooCostlyError()
  }
}
