import { setTimeout as after } from 'node:timers/promises'

/** Asks until the answer is not `false` or `undefined`, and gives it. */
export type Until = <T>(what: string, ask: () => Promise<T> | T) => Promise<Exclude<T, undefined | false>>

const boundMs = 300_000
/** Each pause is twice as long as the one before, up to the longest: to ask takes the processor time that the program waits for. */
const pausesMs = { first: 25, longest: 200 }

/** Waits five minutes at most. Rejects with the signal's reason, and with what `check` throws, which is called before each question. */
export function untilOf(signal: AbortSignal, check: () => void): Until {
  return async <T>(what: string, ask: () => Promise<T> | T) => {
    const end = performance.now() + boundMs
    for (let pauseMs = pausesMs.first; ; pauseMs = Math.min(2 * pauseMs, pausesMs.longest)) {
      signal.throwIfAborted()
      check()
      const answer = await ask()
      if (answer !== undefined && answer !== false) return answer as Exclude<T, undefined | false>
      if (performance.now() > end) throw new Error(`waited five minutes in vain until ${what}`)
      await after(pauseMs, undefined, { signal })
    }
  }
}
