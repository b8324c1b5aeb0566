/** An unhandled rejection, or an uncaught exception. */
export interface StrayError {
  readonly kind: 'unhandledRejection' | 'uncaughtException'
  readonly reason: unknown
}

type Listener = (error: StrayError) => void

const listeners = new Set<Listener>()
const kinds = ['unhandledRejection', 'uncaughtException'] as const
let displaced: { readonly kind: string; readonly listener: (...args: unknown[]) => void }[] = []

function onUnhandledRejection(reason: unknown): void {
  for (const listener of [...listeners]) listener({ kind: 'unhandledRejection', reason })
}

function onUncaughtException(reason: unknown): void {
  for (const listener of [...listeners]) listener({ kind: 'uncaughtException', reason })
}

/**
 * Passes every stray error of this process to `listener` until the returned function is called. Until then the
 * listeners that were there before, such as that of the test runner, receive no such error, so that an error that fails a simulation is reported only once.
 */
export function catchStrayErrors(listener: Listener): () => void {
  if (listeners.size === 0) {
    for (const kind of kinds) {
      for (const other of process.rawListeners(kind)) {
        displaced.push({ kind, listener: other as (...args: unknown[]) => void })
      }
      process.removeAllListeners(kind)
    }
    process.on('unhandledRejection', onUnhandledRejection)
    process.on('uncaughtException', onUncaughtException)
  }
  listeners.add(listener)
  return () => {
    if (!listeners.delete(listener) || listeners.size > 0) return
    process.off('unhandledRejection', onUnhandledRejection)
    process.off('uncaughtException', onUncaughtException)
    for (const { kind, listener: other } of displaced) process.on(kind, other)
    displaced = []
  }
}
