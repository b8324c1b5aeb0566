import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { forgetTestsOf } from './test-server/forget-rights.ts'
import { type TestServer, type TestServerOptions, testServer } from './test-server/test-server.ts'

export type { TestServer } from './test-server/test-server.ts'

/** How long a hook may take, in milliseconds: far longer than a real server takes to start on a slow machine. */
const timeoutMs = 600_000

/**
 * Starts an API server for the tests of a file, or of the `describe` around the call, and closes it after them. Each test gets a namespace of its own,
 * and fails if its operator reports an error that the test does not expect. Tests that use the server run one after the other.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { configMaps } from '@wherry/client/resources/core'
 * import { setUpApiServer } from '@wherry/testing/vitest'
 * import { it } from 'vitest'
 *
 * const cluster = setUpApiServer()
 *
 * it('creates settings', async () => {
 *   const client = cluster.closeAfterTest(new Client(cluster.operator))
 *   await client.create(configMaps, { metadata: { namespace: cluster.namespace, name: 'settings' } })
 * })
 * ```
 */
export function setUpApiServer(options: TestServerOptions = {}): TestServer {
  // The runner parses the parameters of a hook for fixtures, so each hook is wrapped in a function of its own.
  const hooks = {
    beforeAll: (hook: () => Promise<void>) => beforeAll(() => hook(), timeoutMs),
    afterAll: (hook: () => Promise<void>) => afterAll(() => hook(), timeoutMs),
    beforeEach: (hook: () => Promise<void>) => beforeEach(() => hook(), timeoutMs),
    afterEach: (hook: (test: string, isPassed: boolean, file: string) => Promise<void>) =>
      afterEach(async ({ task }) => {
        const { file } = task
        await hook(nameOf(task), task.result?.state !== 'fail', file.filepath)
        if (options.rights === undefined || looked.has(file)) return
        looked.add(file)
        // All tests of the file are known here, including those that a filter leaves out.
        const names = new Set(testNames(file))
        forgetTestsOf(file.filepath, test => names.has(test))
      }, timeoutMs),
  }
  return testServer(hooks, options)
}

/** The files that were checked already for recordings of tests that they no longer have. */
const looked = new WeakSet<object>()

/** The names of the tests of a file, or of a suite. */
function testNames(suite: Suite): readonly string[] {
  return suite.tasks.flatMap(task => (task.type === 'suite' ? testNames(task as unknown as Suite) : [nameOf(task)]))
}

interface Suite {
  readonly tasks: readonly (Named & { readonly type: string })[]
}

interface Named {
  readonly name: string
  readonly suite?: Named | undefined
}

/** The name of a test, after the names of the suites around it. */
function nameOf({ name, suite }: Named): string {
  return suite === undefined || suite.name === '' ? name : `${nameOf(suite)} > ${name}`
}
