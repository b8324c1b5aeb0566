import { CelError, type Value } from '../values.ts'
import { Meter, TooCostlyError } from './meter.ts'

/** The maximum cost of all rules of an object, in the server's units. */
const mostPerObject = 10_000_000

/** Thrown to end the evaluation of an object's rules. */
export class OutOfBudgetError extends CelError {}

/** The remaining budget for the rules of an object. */
export class Budget {
  #left = mostPerObject
  #isOver = false

  /** Whether no further rule is evaluated. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Returns the result of an evaluation, or its error. */
  evaluate(evaluation: (meter: Meter) => Value): Value | CelError {
    const meter = new Meter()
    const outcome = valueOrError(() => evaluation(meter))
    this.#left -= meter.spent
    this.#isOver = this.#left < 0 || outcome instanceof TooCostlyError
    return this.#left < 0 ? new OutOfBudgetError() : outcome
  }
}

function valueOrError(evaluation: () => Value): Value | CelError {
  try {
    return evaluation()
  } catch (error) {
    if (error instanceof CelError) return error
    throw error
  }
}
