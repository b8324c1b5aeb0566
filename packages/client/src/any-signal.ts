/** The native signals that follow objects with only the interface of a signal. */
const followers = new WeakMap<AbortSignal, AbortSignal>()

/**
 * A signal that is aborted with the first of these. Like `AbortSignal.any`, but it also accepts objects with only the interface of a signal, because the check
 * of options accepts them.
 */
export function anySignal(...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any(signals.filter(signal => signal !== undefined).map(native))
}

function native(signal: AbortSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal
  const known = followers.get(signal)
  if (known !== undefined) return known
  const own: AbortSignal = signal
  if (own.aborted) return AbortSignal.abort(own.reason)
  const follower = new AbortController()
  own.addEventListener('abort', () => follower.abort(own.reason), { once: true })
  followers.set(own, follower.signal)
  return follower.signal
}
