/** `thrown` if it is an error, else an error that has it as its cause and says `what`. */
export function asError(thrown: unknown, what = 'something that is no Error was thrown'): Error {
  return thrown instanceof Error ? thrown : new Error(what, { cause: thrown })
}
