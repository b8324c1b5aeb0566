import type { ErrorContext } from '../environment.ts'
import { missingRight } from './missing-right.ts'

interface Reported {
  readonly error: Error
  readonly context: ErrorContext
}

/** The errors that an operator reports during a test, and those that the test expects. */
export class ReportedErrors {
  readonly #reported: Reported[] = []
  readonly #expected: (string | RegExp)[] = []

  /** Records an error. Returns an error with the remedy if the operator lacks a right, and the test does not expect that. */
  report(error: Error, context: ErrorContext): Error | undefined {
    this.#reported.push({ error, context })
    return this.#isExpected(error) ? undefined : missingRight(error)
  }

  expect(message: string | RegExp): void {
    this.#expected.push(message)
  }

  /** Throws for an unexpected error, and for an expected error that was not reported. Later errors are for {@link checkLate}. */
  check(): void {
    const reported = this.#reported.splice(0)
    const unexpected = reported.filter(({ error }) => !this.#isExpected(error))
    const refusal = unexpected.map(({ error }) => missingRight(error)).find(one => one !== undefined)
    if (refusal !== undefined) throw refusal
    const [first] = unexpected
    if (first !== undefined) {
      const more = unexpected.length === 1 ? '' : ` (and ${unexpected.length - 1} more)`
      throw new Error(`the test did not expect the error of ${placeOf(first.context)}${more}: ${first.error.message}`, {
        cause: first.error,
      })
    }
    const missing = this.#expected.find(one => !reported.some(({ error }) => matches(error, one)))
    if (missing !== undefined)
      throw new Error(`the test expected an error that matches ${missing}, and none was reported`)
  }

  /** Throws if an unexpected error was reported after {@link check}. */
  checkLate(): void {
    const late = this.#reported.find(({ error }) => !this.#isExpected(error))
    if (late !== undefined)
      throw new Error(`an error came after its test: ${late.error.message}`, { cause: late.error })
  }

  #isExpected(error: Error): boolean {
    return this.#expected.some(one => matches(error, one))
  }
}

function matches(error: Error, expected: string | RegExp): boolean {
  // Not `test`, which begins where the last match of a regular expression with the flag `g` ended.
  return typeof expected === 'string' ? error.message.includes(expected) : error.message.search(expected) !== -1
}

/** `reconcile of default/chess` */
function placeOf({ phase, key, resource }: ErrorContext): string {
  const what = key ?? resource
  return what === undefined ? phase : `${phase} of ${what}`
}
