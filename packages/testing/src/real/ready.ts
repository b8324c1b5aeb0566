import { request } from 'node:https'
import { systemClock } from '../clock.ts'

const FIRST_WAIT_MS = 25
const LONGEST_WAIT_MS = 250

/** What must answer 200: the server itself, and the namespace that it makes a moment after it is ready. */
const PATHS = ['/readyz', '/api/v1/namespaces/default']

/**
 * Asks until the server is ready for tests, at growing intervals. Gives up, with `false`, after `timeoutMs` or when
 * `over`.
 */
export async function untilReady(
  url: string,
  ca: string,
  token: string,
  timeoutMs: number,
  over: () => boolean,
): Promise<boolean> {
  const clock = systemClock()
  const left = [...PATHS]
  const deadline = clock.monotonic() + timeoutMs
  for (let wait = FIRST_WAIT_MS; !over() && clock.monotonic() < deadline; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    while (left[0] !== undefined && (await answers(new URL(left[0], url), ca, token))) left.shift()
    if (left.length === 0) return true
    await new Promise<void>(resolve => void clock.timer(wait, resolve))
  }
  return false
}

function answers(url: URL, ca: string, token: string): Promise<boolean> {
  return new Promise(resolve => {
    const options = { ca, agent: false as const, headers: { authorization: `Bearer ${token}` }, timeout: 5_000 }
    const sent = request(url, options, answer => {
      answer.resume()
      answer.on('error', () => resolve(false))
      answer.on('end', () => resolve(answer.statusCode === 200))
    })
    sent.on('timeout', () => sent.destroy())
    sent.on('error', () => resolve(false))
    sent.end()
  })
}
