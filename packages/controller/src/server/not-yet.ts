/** A check of a program that is starting does not pass yet. The probe gets a 500, and the log a line, but `onError` nothing: nothing has failed. */
export class NotYetError extends Error {
  override readonly name = 'NotYetError'
  readonly code = 'NOT_YET'
}
