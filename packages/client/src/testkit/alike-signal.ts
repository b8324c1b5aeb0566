/** An object with the interface of an `AbortSignal`, as other libraries make. It is aborted with `signal`. */
export function alikeSignal(signal: AbortSignal): AbortSignal {
  return {
    get aborted() {
      return signal.aborted
    },
    get reason() {
      return signal.reason
    },
    throwIfAborted: () => signal.throwIfAborted(),
    addEventListener: signal.addEventListener.bind(signal),
    removeEventListener: signal.removeEventListener.bind(signal),
  } as AbortSignal
}
