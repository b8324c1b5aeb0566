import { findApiServer } from '../find-binary.ts'

/**
 * Whether tests of `what` against a real API server can run here. With `CI=true` they always run, and fail if the server is
 * missing. Otherwise one line says which tests are skipped and how to run them, unless the run leaves out all real servers
 * (`WHERRY_REAL=false`).
 */
export async function realApiServerAvailable(what: string): Promise<boolean> {
  if (process.env.WHERRY_REAL === 'false') return false
  if (process.env.CI === 'true') return true
  try {
    await findApiServer()
    return true
  } catch (cause) {
    process.stderr.write(`skipped: ${what}: ${(cause as Error).message}\n`)
    return false
  }
}
