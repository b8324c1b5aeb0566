import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { EmbeddedApiServer } from '@wherry/apiserver'
import { afterEach, expect, it, vi } from 'vitest'
import { ask } from '../real/testkit/client.ts'
import { type TestHooks, type TestServer, type TestServerOptions, testServer } from './test-server.ts'

type Hook = (test: string, isPassed: boolean) => Promise<void>

/** A test runner in miniature: it runs the hooks, and the tests between them. */
class Runner {
  readonly #hooks: Partial<Record<keyof TestHooks, Hook>> = {}
  readonly cluster: TestServer

  constructor(options: TestServerOptions = {}) {
    const register = (when: keyof TestHooks) => (hook: Hook) => {
      this.#hooks[when] = hook
    }
    this.cluster = testServer(
      {
        ...{ beforeAll: register('beforeAll'), afterAll: register('afterAll') },
        ...{ beforeEach: register('beforeEach'), afterEach: register('afterEach') },
      },
      options,
    )
  }

  async run(when: keyof TestHooks, test = ''): Promise<void> {
    await this.#hooks[when]?.(test, true)
  }

  /** Runs a test; rejects if the hook after it fails it. */
  async test(body: (cluster: TestServer) => void | Promise<void>): Promise<void> {
    await this.run('beforeEach')
    await body(this.cluster)
    await this.run('afterEach', 'a test')
  }
}

const runners: Runner[] = []

async function started(options?: TestServerOptions): Promise<Runner> {
  const runner = new Runner(options)
  await runner.run('beforeAll')
  runners.push(runner)
  return runner
}

afterEach(async () => {
  vi.restoreAllMocks()
  await Promise.all(runners.splice(0).map(runner => runner.run('afterAll')))
})

const reconcile = { phase: 'reconcile', key: 'default/chess' }
const report = (cluster: TestServer, message: string): void =>
  cluster.operator.environment.onError(new Error(message), reconcile)

it('a test fails if an error was reported that it did not expect', async () => {
  const runner = await started()
  await expect(
    runner.test(cluster => {
      cluster.expectError('too big')
      report(cluster, 'chess is too big')
      report(cluster, 'chess has no title')
      report(cluster, 'go has no title')
    }),
  ).rejects.toMatchObject({
    message: 'the test did not expect the error of reconcile of default/chess (and 1 more): chess has no title',
    cause: { message: 'chess has no title' },
  })
  // The next test starts from the beginning.
  await runner.test(() => undefined)
})

it('a test passes if each error was expected, and fails if one that it expected did not come', async () => {
  const runner = await started()
  await runner.test(cluster => {
    cluster.expectError(/no title$/g)
    report(cluster, 'chess has no title')
    report(cluster, 'go has no title')
  })
  await expect(runner.test(cluster => cluster.expectError('too big'))).rejects.toThrow(
    'the test expected an error that matches too big, and none was reported',
  )
})

it('an error that comes after its test fails the file', async () => {
  const runner = await started()
  let late = (): void => undefined
  await runner.test(cluster => {
    const { onError } = cluster.admin.environment
    late = () => onError(new Error('chess is late'), reconcile)
  })
  late()
  runners.splice(0)
  await expect(runner.run('afterAll')).rejects.toThrow('an error came after its test: chess is late')
})

it('what a test has opened is closed before its errors are checked, the last first', async () => {
  const runner = await started()
  const closed: string[] = []
  await expect(
    runner.test(cluster => {
      const { onError } = cluster.operator.environment
      const opened = (name: string) => ({
        close: async () => {
          closed.push(name)
          onError(new Error(`${name} broke`), { phase: 'close' })
        },
      })
      cluster.closeAfterTest(opened('client'))
      expect(cluster.closeAfterTest(opened('operator'))).toHaveProperty('close')
    }),
  ).rejects.toThrow('operator broke')
  expect(closed).toEqual(['operator', 'client'])
})

it('a close that rejects fails the test, and the rest is closed and deleted all the same', async () => {
  const runner = await started()
  const closed: string[] = []
  let namespace = ''
  await expect(
    runner.test(cluster => {
      namespace = cluster.namespace
      cluster.closeAfterTest({ close: async () => closed.push('client') })
      cluster.closeAfterTest({ close: () => Promise.reject(new Error('the operator does not end')) })
      report(cluster, 'chess has no title')
    }),
  ).rejects.toThrow('the operator does not end')
  expect(closed).toEqual(['client'])
  await runner.run('beforeEach')
  const { url, ca = '', token } = runner.cluster.server
  expect(await ask({ url, ca, token }, 'GET', `/api/v1/namespaces/${namespace}`)).toMatchObject({ status: 404 })
  await runner.run('afterEach')
})

it('outside of a test there is nothing', async () => {
  const runner = new Runner()
  expect(() => runner.cluster.server).toThrow('setUpApiServer: the server is there in tests and their hooks alone')
  expect(() => runner.cluster.namespace).toThrow(TypeError)
})

it('what a test did to the server ends with it: faults, and a refusal of connections', async () => {
  const runner = await started()
  const statusOf = ({ server: { url, ca = '', token } }: TestServer): Promise<number> =>
    ask({ url, ca, token }, 'GET', '/api/v1/namespaces/default').then(({ status }) => status)
  await runner.test(async cluster => {
    const server = cluster.server as EmbeddedApiServer
    await server.faults.add({ match: {}, effect: { kind: 'status', code: 503 } })
    expect(await statusOf(cluster)).toBe(503)
    await server.refuse(true)
  })
  await runner.test(async cluster => expect(await statusOf(cluster)).toBe(200))
})

it('definitions that a test makes are deleted with their objects without a namespace', async () => {
  const runner = await started()
  await runner.test(async ({ server: { url, ca = '', token } }) => {
    const post = async (path: string, body: object): Promise<void> => {
      await vi.waitFor(async () => {
        const { status } = await ask({ url, ca, token }, 'POST', path, body)
        expect([201, 409]).toContain(status)
      })
    }
    const openAPIV3Schema = { type: 'object' }
    await post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
      metadata: { name: 'leagues.arcade.example.com' },
      spec: {
        ...{ group: 'arcade.example.com', scope: 'Cluster', names: { plural: 'leagues', kind: 'League' } },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
      },
    })
    const league = { apiVersion: 'arcade.example.com/v1', kind: 'League', metadata: { name: 'first' } }
    await post('/apis/arcade.example.com/v1/leagues', league)
  })
})

it('conditions that are one value fail a test if the definition is of the project, else they are said once', async () => {
  const lines: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation(line => lines.push(String(line)) > 0)
  const definition = (plural: string): object => ({
    ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
    metadata: { name: `${plural}.example.com` },
    spec: {
      ...{ group: 'example.com', scope: 'Namespaced', names: { plural, kind: `A${plural}` } },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  })
  const runner = await started({ install: definition('games') })
  const reportAtomic = (cluster: TestServer, resource: string): void => {
    const error = Object.assign(new Error(`status.conditions of ${resource} is one value`), {
      code: 'ATOMIC_CONDITIONS',
    })
    cluster.operator.environment.onError(Object.assign(error, { resource }), reconcile)
  }
  await runner.test(cluster => reportAtomic(cluster, 'other.example.com/v1/games'))
  await runner.test(cluster => reportAtomic(cluster, 'other.example.com/v1/games'))
  expect(lines).toEqual([expect.stringContaining('of other.example.com/v1/games is one value. It is not a definition')])
  await expect(runner.test(cluster => reportAtomic(cluster, 'example.com/v1/games'))).rejects.toThrow('is one value')
  await runner.test(() => {})
})

it('manifests that an earlier hook makes are installed: nothing reads them when the tests are declared', async () => {
  const cache = join(process.cwd(), '.cache')
  await mkdir(cache, { recursive: true })
  // Below the working directory, as a project's own manifests are.
  const folder = await mkdtemp(join(cache, 'manifests-'))
  const path = join(folder, 'settings.yaml')
  const runner = new Runner({ install: path })
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'default' } }
  await writeFile(path, JSON.stringify(settings))
  await runner.run('beforeAll')
  runners.push(runner)
  const { url, ca = '', token } = runner.cluster.server
  const { status } = await ask({ url, ca, token }, 'GET', '/api/v1/namespaces/default/configmaps/settings')
  expect(status).toBe(200)
  await rm(folder, { recursive: true })
})
