import { type Access, ask, systemClock } from '@wherry/apiserver/internal'

const FIRST_WAIT_MS = 25
const LONGEST_WAIT_MS = 250
/** How long a request may stay without an answer, as on a server that is about to start. */
const SILENT_MS = 5_000

/** The paths that must answer 200: the readiness check, and the namespace that the server makes a moment after it is ready. */
const PATHS = ['/readyz', '/api/v1/namespaces/default']

/**
 * Checks at growing intervals until the server is ready for tests. Resolves with `false` after `timeoutMs` or when
 * `over` returns true.
 */
export async function untilReady(access: Access, timeoutMs: number, over: () => boolean): Promise<boolean> {
  const left = [...PATHS]
  const ready = async (): Promise<boolean> => {
    while (left[0] !== undefined && (await answers(access, left[0]))) left.shift()
    return left.length === 0
  }
  return until(ready, timeoutMs, over)
}

/** Calls `done` at growing intervals until it resolves with true. Resolves with `false` after `timeoutMs` or when `over` returns true. */
export async function until(
  done: () => Promise<boolean>,
  timeoutMs: number,
  over: () => boolean = () => false,
): Promise<boolean> {
  const clock = systemClock()
  const deadline = clock.monotonic() + timeoutMs
  for (let wait = FIRST_WAIT_MS; !over() && clock.monotonic() < deadline; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    if (await done()) return true
    await new Promise<void>(resolve => void clock.timer(wait, resolve))
  }
  return false
}

async function answers(access: Access, path: string): Promise<boolean> {
  try {
    return (await ask(access, 'GET', path, undefined, { timeoutMs: SILENT_MS })).status === 200
  } catch {
    return false
  }
}
