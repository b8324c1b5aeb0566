import { after, afterEach, before, beforeEach, type TestContext } from 'node:test'
import { type TestServer, type TestServerOptions, testServer } from './test-server/test-server.ts'

export type { TestServer } from './test-server/test-server.ts'

/**
 * Starts an API server for the tests of a file, or of the `describe` around the call, and closes it after them. Each test gets a namespace of its own,
 * and fails if the operator reported an error that it did not expect. Tests that use it run one after the other.
 *
 * ```ts
 * const cluster = setUpApiServer({ install: 'deploy/crd', rights: rolesIn('deploy') })
 *
 * test('makes a Deployment', async () => {
 *   const client = cluster.closeAfterTest(new Client(cluster.operator))
 *   const operator = cluster.closeAfterTest(new Operator({ name: 'website-operator', client }))
 *   …
 * })
 * ```
 */
export function setUpApiServer(options: TestServerOptions = {}): TestServer {
  const hooks = {
    beforeAll: before,
    afterAll: after,
    beforeEach,
    afterEach: (hook: (test: string, isPassed: boolean) => Promise<void>) =>
      afterEach(test => {
        // The types of Node 22 do not have `error` yet.
        const { fullName, error } = test as TestContext & { readonly error?: Error | null }
        return hook(fullName, error === null || error === undefined)
      }),
  }
  return testServer(hooks, options)
}
