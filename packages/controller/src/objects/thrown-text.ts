import { asError } from '@wherry/client/internal'

/** The message of an error, or any other thrown value as a text. */
export function thrownText(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message
  try {
    return String(thrown)
  } catch {
    // For example, an object without a prototype has no `toString`.
    return asError(thrown).message
  }
}
