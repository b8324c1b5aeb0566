const marked = new WeakSet<Error>()

/** Why a check of a program that is starting does not pass yet. The probe gets a 500, and the log a line: nothing has failed. */
export function notYet(message: string): Error {
  const error = new Error(message)
  marked.add(error)
  return error
}

export function isNotYet(error: unknown): boolean {
  return error instanceof Error && marked.has(error)
}
