import { request } from 'node:https'
import { systemClock } from '../clock.ts'

const FIRST_WAIT_MS = 25
const LONGEST_WAIT_MS = 250

/** Asks for `/readyz` until it says yes, at growing intervals. Gives up, with `false`, after `timeoutMs` or when `over`. */
export async function untilReady(
  url: string,
  ca: string,
  token: string,
  timeoutMs: number,
  over: () => boolean,
): Promise<boolean> {
  const clock = systemClock()
  const deadline = clock.monotonic() + timeoutMs
  for (let wait = FIRST_WAIT_MS; !over() && clock.monotonic() < deadline; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    if (await isReady(url, ca, token)) return true
    await new Promise<void>(resolve => void clock.timer(wait, resolve))
  }
  return false
}

function isReady(url: string, ca: string, token: string): Promise<boolean> {
  return new Promise(resolve => {
    const options = { ca, agent: false as const, headers: { authorization: `Bearer ${token}` }, timeout: 5_000 }
    const sent = request(new URL('/readyz', url), options, answer => {
      answer.resume()
      answer.on('error', () => resolve(false))
      answer.on('end', () => resolve(answer.statusCode === 200))
    })
    sent.on('timeout', () => sent.destroy())
    sent.on('error', () => resolve(false))
    sent.end()
  })
}
