import { CelError } from '../values.ts'

/** What one evaluation may cost, in the server's units. */
const mostPerEvaluation = 1_000_000

/** Ends an evaluation that costs too much: no other part of the expression makes up for it. */
export class TooCostlyError extends CelError {
  constructor() {
    super('operation cancelled: actual cost limit exceeded')
  }
}

/** Adds up what one evaluation costs. */
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
