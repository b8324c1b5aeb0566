import { CelError, type Value } from '../values.ts'
import { Meter, TooCostlyError } from './meter.ts'

/** The maximum total cost of the rules that are evaluated for one object, in kube-apiserver's units. */
const maxCostPerObject = 10_000_000

/** The outcome of the rule that exceeds the budget. No further rule is evaluated. */
export class OutOfBudgetError extends CelError {}

/** The remaining budget for the rules of an object. */
export class Budget {
  #left = maxCostPerObject
  #isOver = false

  /** If true, the caller must evaluate no further rule. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Runs an evaluation and subtracts its cost. Returns its value or its error, or an `OutOfBudgetError` if the budget is exceeded. */
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
