/** Returns `thrown` if it is an error, else an error with the message `what` and `thrown` as its cause. A thrown string is quoted. */
export function asError(thrown: unknown, what = 'something that is no Error was thrown'): Error {
  if (thrown instanceof Error) return thrown
  return new Error(typeof thrown === 'string' ? `${what}: ${JSON.stringify(thrown)}` : what, { cause: thrown })
}
