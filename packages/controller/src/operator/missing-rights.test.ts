import { Client } from '@wherry/client'
import { configMaps, secrets, services } from '@wherry/client/resources/core'
import { type TestHooks, type TestServer, testServer } from '@wherry/testing/test-server/test-server'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ReconcileContext } from '../controller/context.ts'
import { Operator } from './operator.ts'

const hooks = new Map<keyof TestHooks, (test: string, isPassed: boolean) => Promise<void>>()
const register =
  (when: keyof TestHooks) =>
  (hook: (test: string, isPassed: boolean) => Promise<void>): void =>
    void hooks.set(when, hook)
const rule = (resource: string, ...verbs: string[]) => ({ apiGroups: [''], resources: [resource], verbs })
const cluster = testServer(
  {
    ...{ beforeAll: register('beforeAll'), afterAll: register('afterAll') },
    ...{ beforeEach: register('beforeEach'), afterEach: register('afterEach') },
  },
  { rights: [rule('configmaps', 'list', 'watch'), rule('services', 'list', 'watch')] },
)
const run = (when: keyof TestHooks): Promise<void> | undefined => hooks.get(when)?.('lacks a right', false)
beforeAll(() => run('beforeAll'))
afterAll(() => run('afterAll'))

interface Scene {
  readonly operator: Operator
  readonly test: TestServer
}

/** Runs a test as the hooks of a test runner do. Resolves with what fails it after its body. */
async function tested(reconciled: 'for' | 'watches', body: Body, then: (scene: Scene) => Promise<void>) {
  await run('beforeEach')
  const admin = cluster.closeAfterTest(new Client(cluster.admin))
  const client = cluster.closeAfterTest(new Client(cluster.operator))
  await admin.create(configMaps, { metadata: { name: 'chess', namespace: cluster.namespace } })
  const operator = cluster.closeAfterTest(new Operator({ name: 'game', client }))
  const games = reconciled === 'for' ? configMaps : secrets
  operator
    .controller('game')
    .for(games)
    .reconcile(body as never)
  void operator.run({ signals: false })
  await then({ operator, test: cluster })
  return run('afterEach')?.then(
    () => undefined,
    (error: Error) => error.message,
  )
}

type Body = (context: ReconcileContext<object, 'namespaced'>) => unknown
const cure = 'RECORD=1 npm test && npm run manifests'
const key = { name: 'key' }

it.each<[what: string, refused: string, reconciled: 'for' | 'watches', body: Body]>([
  ['a view of a controller', 'the user cannot watch it', 'watches', () => undefined],
  ['read.get', 'the user cannot watch it', 'for', ({ read }) => read.get(secrets, key)],
  ['apply', 'the user cannot watch it', 'for', ({ apply }) => apply(secrets, { metadata: key })],
  [
    'apply of another kind',
    'cannot patch resource "services"',
    'for',
    ({ apply }) => apply(services, { metadata: key }),
  ],
  [
    'a request of the client',
    'the user cannot delete it',
    'for',
    ({ client, key: { namespace } }) => client.delete(secrets, { ...key, namespace }),
  ],
])(
  'a test of an operator that lacks the right for %s fails at once, and says which command records it',
  async (_, refused, reconciled, body) => {
    let seen: Error | undefined
    const after = await tested(reconciled, body, async ({ operator }) => {
      await operator.settled().catch(error => {
        seen = error
      })
      await expect(operator.settled()).rejects.toBe(seen)
    })
    expect(seen?.message).toContain(refused)
    expect(seen?.message).toContain(cure)
    expect(seen?.cause).toBeUndefined()
    expect(after).toBe(seen?.message)
  },
)

it('a test that expects that its operator lacks a right is not stopped by that', async () => {
  let runs = 0
  const after = await tested(
    'for',
    async ({ client, key: { namespace, name } }) => {
      if (name !== 'chess') return
      runs += 1
      if (runs < 3) await client.delete(secrets, { ...key, namespace })
    },
    async ({ operator, test }) => {
      test.expectError('the user cannot delete it')
      await operator.settled()
    },
  )
  expect([runs, after]).toEqual([3, undefined])
})
