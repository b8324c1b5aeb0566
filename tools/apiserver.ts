import { parseArgs } from 'node:util'
import { buildApiServer } from '../packages/testing/src/real/build-binary.ts'
import { ApiServerBuildError, ApiServerVersionError } from '../packages/testing/src/real/errors.ts'

/**
 * `npm run apiserver [-- --version 1.36]`: builds the real API server of the Go module in packages/testing/apiserver,
 * unless it is in the cache: the newest version, or the one that is named. Prints the binary's path on stdout, what it does on stderr.
 */
const started = performance.now()
try {
  const { version } = parseArgs({ options: { version: { type: 'string' } } }).values
  const path = await buildApiServer({
    version,
    onProgress: line => console.error(`apiserver: ${Math.round((performance.now() - started) / 1000)} s: ${line}`),
  })
  console.log(path)
} catch (error) {
  if (!(error instanceof ApiServerBuildError || error instanceof ApiServerVersionError)) throw error
  console.error(`apiserver: ${error.message}`)
  process.exitCode = 1
}
