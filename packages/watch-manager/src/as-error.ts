/** What was thrown, as an error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error
    ? thrown
    : new Error(`what was thrown is no Error: ${described(thrown)}`, { cause: thrown })
}

function described(thrown: unknown): string {
  try {
    return String(thrown)
  } catch {
    return typeof thrown
  }
}
