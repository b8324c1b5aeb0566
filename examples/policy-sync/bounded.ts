import { createContext, Script } from 'node:vm'

const bounds = { call: (): unknown => undefined }
const context = createContext(bounds)
const script = new Script('call()')

/** A call took longer than it may. */
export class TookTooLongError extends Error {
  override readonly name = 'TookTooLongError'
  readonly code = 'TOOK_TOO_LONG'

  constructor(timeoutMs: number, cause: unknown) {
    super(`it took longer than ${timeoutMs} ms`, { cause })
  }
}

/**
 * Calls a function on this thread, and breaks it off after `timeoutMs`, wherever it is: in a loop, or in a regular expression. So it must
 * change nothing that is used afterwards. Costs some 60 µs.
 *
 * Source: https://nodejs.org/api/vm.html#scriptrunincontextcontextifiedobject-options
 *
 * @throws TookTooLongError, and what the function throws.
 */
export function bounded<T>(timeoutMs: number, call: () => T): T {
  bounds.call = call
  try {
    return script.runInContext(context, { timeout: timeoutMs }) as T
  } catch (error) {
    const isTimeout = (error as { code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
    throw isTimeout ? new TookTooLongError(timeoutMs, error) : error
  } finally {
    bounds.call = () => undefined
  }
}
