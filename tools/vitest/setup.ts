import { setTimeout as after } from 'node:timers'
import { afterAll, afterEach, beforeEach, vi } from 'vitest'
import { detectLeaks, type LeakDetector } from './leaks.ts'

/**
 * Set-up of every test file: after each test no socket, server, child process, timer or unhandled
 * rejection of it is left. What `beforeAll` of the file opened may stay until the file ends.
 *
 * Hooks run in stack order, so these `after` hooks are the last: a test file's own have closed
 * what they close.
 */
const shared = globalThis as { wherryLeaks?: LeakDetector }
shared.wherryLeaks ??= detectLeaks()
const detector = shared.wherryLeaks

/** How long things may take to close after the test: a bound, not a wait. */
const closingMs = Number(process.env.WHERRY_CLOSING_MS ?? 60_000)

/**
 * A test that waits for something fails only if it never comes: no result depends on how fast the machine is. Vitest gives a
 * wait one second. It is given five minutes here, and a test ten (`base.ts`), so that a wait says what it waited for.
 */
const { waitFor } = vi
vi.waitFor = (fn, options = {}) =>
  waitFor(fn, { timeout: 300_000, ...(typeof options === 'number' ? { timeout: options } : options) })

/** Fails unless all that was opened after `known` closes within the bound. */
async function nothingLeft(known: ReadonlyMap<object, unknown>): Promise<void> {
  const left = () => [...detector.open()].filter(([thing]) => !known.has(thing)).map(([, what]) => what)
  const until = performance.now() + closingMs
  // A turn of the loop at least: that is when Node reports unhandled rejections.
  do await new Promise<void>(resolve => after(resolve, 1))
  while (left().length > 0 && performance.now() < until)
  const rejected = detector.rejections().map(reason => `an unhandled rejection: ${text(reason)}`)
  const all = [...left().map(what => what()), ...rejected]
  if (all.length > 0) throw new Error(`left behind: ${all.join('\n  and ')}`)
}

function text(reason: unknown): string {
  return reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)
}

const beforeFile = detector.open()
let beforeTest = beforeFile
beforeEach(() => {
  beforeTest = detector.open()
})
afterEach(() => nothingLeft(beforeTest))
afterAll(() => nothingLeft(beforeFile))
