import { after, afterEach, before, beforeEach, type TestContext } from 'node:test'
import { forgetTestsOf } from './test-server/forget-rights.ts'
import { type TestServer, type TestServerOptions, testServer } from './test-server/test-server.ts'

export type { TestServer } from './test-server/test-server.ts'

/**
 * Starts an API server for the tests of a file, or of the `describe` around the call, and closes it after them. Each test gets a namespace of its own,
 * and fails if its operator reports an error that the test does not expect. Tests that use the server run one after the other.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { configMaps } from '@wherry/client/resources/core'
 * import { setUpApiServer } from '@wherry/testing/node-test'
 * import { test } from 'node:test'
 *
 * const cluster = setUpApiServer()
 *
 * test('creates settings', async () => {
 *   const client = cluster.closeAfterTest(new Client(cluster.operator))
 *   await client.create(configMaps, { metadata: { namespace: cluster.namespace, name: 'settings' } })
 * })
 * ```
 */
export function setUpApiServer(options: TestServerOptions = {}): TestServer {
  const hooks = {
    beforeAll: before,
    afterAll: after,
    beforeEach,
    afterEach: (hook: (test: string, isPassed: boolean, file?: string) => Promise<void>) =>
      afterEach(test => {
        // The types of Node 22 do not have `error` yet.
        const { fullName, error, filePath } = test as TestContext & { readonly error?: Error | null }
        if (options.rights !== undefined && filePath !== undefined) note(filePath, fullName)
        return hook(fullName, error === null || error === undefined, filePath)
      }),
  }
  return testServer(hooks, options)
}

/** The tests that this process has run, by file. */
const run = new Map<string, Set<string>>()

/** The options of Node that leave tests out. */
const filters = /^--(?:test-(?:only|name-pattern|skip-pattern)|experimental-test-tag-filter)/

function note(file: string, test: string): void {
  if (run.size === 0) process.once('exit', forgetOthers)
  run.set(file, (run.get(file) ?? new Set<string>()).add(test))
}

/** Deletes the recordings of tests that a complete and successful run did not have. Only a run shows which tests a file has. */
function forgetOthers(code: number): void {
  const isFiltered = [...process.execArgv, ...(process.env.NODE_OPTIONS ?? '').split(/\s+/)].some(one =>
    filters.test(one),
  )
  if (code !== 0 || isFiltered) return
  for (const [file, tests] of run) forgetTestsOf(file, test => tests.has(test))
}
