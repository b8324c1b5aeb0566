import { buildApiServer } from '../packages/testing/src/real/build-binary.ts'
import { ApiServerBuildError } from '../packages/testing/src/real/errors.ts'

/**
 * `npm run apiserver`: builds the real API server of the Go module in packages/testing/apiserver, unless it is in the
 * cache. Prints the binary's path on stdout, what it does on stderr.
 */
const started = performance.now()
try {
  const path = await buildApiServer({
    onProgress: line => console.error(`apiserver: ${Math.round((performance.now() - started) / 1000)} s: ${line}`),
  })
  console.log(path)
} catch (error) {
  if (!(error instanceof ApiServerBuildError)) throw error
  console.error(`apiserver: ${error.message}`)
  process.exitCode = 1
}
