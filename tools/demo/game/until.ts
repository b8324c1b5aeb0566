import { setTimeout as after } from 'node:timers/promises'

const BOUND_MS = 300_000

/** Asks until there is an answer that is not `undefined`. Rejects with the signal's reason, and after five minutes. */
export async function until<T>(signal: AbortSignal, what: string, ask: () => Promise<T | undefined>): Promise<T> {
  const bound = performance.now() + BOUND_MS
  for (;;) {
    signal.throwIfAborted()
    const answer = await ask()
    if (answer !== undefined) return answer
    if (performance.now() > bound) throw new Error(`waited five minutes in vain until ${what}`)
    await after(50, undefined, { signal })
  }
}
