import { type ConfigMap, configMaps, pods, secrets } from '@wherry/client/resources/core'
import { type Operator, type Reconcile, TerminalError } from '@wherry/controller'
import { type ReconcileOnceOptions, reconcileOnce } from '@wherry/controller/testing'
import { startApiServer } from '@wherry/testing'
import { expect, it } from 'vitest'

const start = () => startApiServer({ sockets: false })
const sources = configMaps.within({ labels: { role: 'source' } })
const labels = { role: 'source' }
const object = { metadata: { name: 'a', labels }, data: { secret: 'db' } }
const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'db' }, data: { user: 'YQ==' } }

function declare(operator: Operator): void {
  operator
    .controller('keys')
    .for(sources)
    .owns(configMaps)
    .reconcile(async ({ object, key, read, apply, events, now }) => {
      const found = await read.get(secrets, { name: object.data?.secret ?? '' })
      if (found === undefined) {
        events.record({ type: 'Warning', reason: 'NoSecret', message: `no secret at ${now().toISOString()}` })
        return { requeueAfterMs: 60_000 }
      }
      await apply(configMaps, {
        metadata: { name: `${key.name}-keys` },
        data: { keys: Object.keys(found.data ?? {}).join() },
      })
      return undefined
    })
}

it('says what a run has read, applied and left', async () => {
  await using server = await start()
  const run = await reconcileOnce({ server, declare, object, objects: [secret] })
  expect(run).toMatchObject({ outcome: 'success', error: undefined, requeueAfterMs: undefined, status: undefined })
  expect(run.read).toMatchObject([{ type: 'object', object: 'default/db', present: true }])
  const desired = { metadata: { name: 'a-keys' }, data: { keys: 'user' } }
  expect(run.applied).toEqual([{ resource: 'v1/configmaps', object: 'default/a-keys', outcome: 'created', desired }])
  expect(run.object).toMatchObject({ data: { secret: 'db' } })
  expect(run.objects).toMatchObject([
    { kind: 'Secret', data: { user: 'YQ==' } },
    { kind: 'ConfigMap', data: { keys: 'user' } },
  ])
  expect([run.events, run.deleted]).toEqual([[], []])
})

it('says what a run has recorded and returned, at the given time', async () => {
  await using server = await start()
  const run = await reconcileOnce({ server, declare, object, now: new Date('2030-01-02T03:04:05Z') })
  expect(run).toMatchObject({ outcome: 'requeue_after', requeueAfterMs: 60_000, applied: [], objects: [] })
  expect(run.read).toMatchObject([{ object: 'default/db', present: false }])
  const message = 'no secret at 2030-01-02T03:04:05.000Z'
  expect(run.events).toEqual([{ type: 'Warning', reason: 'NoSecret', message, about: 'ConfigMap default/a' }])
})

it('writes nothing in a second run, and names the object by its key', async () => {
  await using server = await start()
  await reconcileOnce({ server, declare, object, objects: [secret] })
  const second = await reconcileOnce({ server, declare, key: { namespace: 'default', name: 'a' } })
  expect(second.applied.map(({ outcome }) => outcome)).toEqual(['unchanged'])
  expect(second.objects).toMatchObject([{ kind: 'ConfigMap', metadata: { name: 'a-keys' } }])
})

it('runs no other key, no other controller and no component, and no second time', async () => {
  await using server = await start()
  const ran: string[] = []
  const several = (operator: Operator): void => {
    operator.addComponent({ name: 'server', start: async () => void ran.push('component'), stop: async () => {} })
    for (const name of ['one', 'two']) {
      operator
        .controller(name, { concurrency: 2 })
        .for(configMaps)
        .withPredicates(() => false)
        .reconcile(async ({ key, client }) => {
          ran.push(`${name} ${key.name}`)
          await client.patch(configMaps, key, { data: { runs: String(ran.length) } })
          return { requeueAfterMs: 0 }
        })
    }
  }
  const other = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b', namespace: 'default' } }
  const run = await reconcileOnce({ server, declare: several, controller: 'two', object, objects: [other] })
  expect(ran).toEqual(['two a'])
  expect([run.object, run.objects]).toMatchObject([{ data: { runs: '1' } }, [{ metadata: { name: 'b' } }]])
})

it('says which objects are gone, and what a status was', async () => {
  await using server = await start()
  const cleaning = (operator: Operator): void => {
    operator
      .controller('clean')
      .for(pods)
      .finalizer('example.com/clean', async ({ client }) => {
        await client.delete(secrets, { namespace: 'default', name: 'db' })
      })
      .reconcile(async ({ status, apply }) => {
        await status({ phase: 'Running', message: 'new' })
        await apply(configMaps, { metadata: { name: 'a' } })
      })
  }
  const spec = { containers: [{ name: 'main', image: 'main' }] }
  const status = { phase: 'Pending', message: 'old' }
  const pod = { metadata: { name: 'a', namespace: 'default' }, spec, status }
  const run = await reconcileOnce({ server, declare: cleaning, object: pod })
  expect(run).toMatchObject({ status: { phase: 'Running', message: 'new' }, deleted: [] })
  expect(run.object).toMatchObject({ metadata: { finalizers: ['example.com/clean'] }, status: { message: 'new' } })
  const going = { name: 'a', finalizers: ['example.com/clean'], deletionTimestamp: '2030-01-01T00:00:00Z' }
  const last = await reconcileOnce({
    server,
    declare: cleaning,
    object: { ...pod, metadata: going },
    objects: [secret],
  })
  expect(last).toMatchObject({ outcome: 'success', object: undefined, objects: [], status: undefined, applied: [] })
  expect(last.deleted).toContainEqual({ resource: 'v1/secrets', object: 'default/db' })
})

it.each<[string, Reconcile<ConfigMap, 'namespaced'>, object]>([
  ['throws', () => Promise.reject(new Error('no')), { outcome: 'error', error: new Error('no') }],
  ['gives up', () => Promise.reject(new TerminalError('no')), { outcome: 'terminal', error: new TerminalError('no') }],
  ['waits', async ({ ready }) => void (await ready(secrets, { name: 'x' }, () => true)), { outcome: 'waiting' }],
  ['returns nonsense', () => ({ requeue: true }) as object, { outcome: 'error', error: { code: 'INVALID_RESULT' } }],
  [
    'does not await',
    ({ apply }) => void apply(configMaps, { metadata: { name: 'x' } }),
    { outcome: 'error', error: { code: 'NOT_AWAITED' }, applied: [{ object: 'default/x' }] },
  ],
  [
    'applies what has no name',
    async ({ apply }) => void (await apply(configMaps, { metadata: {} })),
    { outcome: 'error', error: { option: 'apply.desired.metadata.name' }, applied: [{ outcome: 'failed' }] },
  ],
  [
    'is refused',
    async ({ apply }) => void (await apply(configMaps, { metadata: { name: 'x', labels: { a: '!' } } })),
    {
      outcome: 'error',
      error: { reason: 'Invalid' },
      applied: [{ outcome: 'failed', object: 'default/x' }],
      objects: [],
    },
  ],
])('says how a run ends that %s', async (_, reconcile, expected) => {
  await using server = await start()
  const failing = (operator: Operator): unknown => operator.controller('failing').for(configMaps).reconcile(reconcile)
  expect(await reconcileOnce({ server, declare: failing, object })).toMatchObject(expected)
})

it('runs a controller without primary objects', async () => {
  await using server = await start()
  const single = (operator: Operator): unknown =>
    operator
      .controller('zone')
      .singleton()
      .watches(secrets)
      .caches(secrets)
      .reconcile(async ({ read, apply }) => {
        const names = (await read.list(secrets)).map(({ metadata }) => metadata.name).join()
        await apply(configMaps, { metadata: { namespace: 'default', name: 'zone' }, data: { names } })
      })
  const run = await reconcileOnce({ server, declare: single, objects: [secret] })
  expect(run).toMatchObject({
    outcome: 'success',
    object: undefined,
    applied: [{ desired: { data: { names: 'db' } } }],
  })
  await expect(reconcileOnce({ server, declare: single, object })).rejects.toThrow(
    'reconcileOnce.object takes nothing for a controller without primary objects',
  )
})

it.each<[string, Partial<ReconcileOnceOptions>, string]>([
  ['no object', {}, 'reconcileOnce takes an object or a key, got neither'],
  ['object and key', { object, key: { name: 'a', namespace: 'b' } }, 'takes an object or a key, got both'],
  [
    'another kind',
    { object: secret },
    'reconcileOnce.object.kind takes ConfigMap, as the controller keys has it, got "Secret"',
  ],
  ['no name', { object: {} }, 'name'],
  [
    'an object of others',
    { object: { metadata: { name: 'a' } } },
    'controller keys selects (role=source), got default/a',
  ],
  ['a key of nothing', { key: { name: 'a', namespace: 'b' } }, 'reconcileOnce.key takes an object that the view'],
  ['no such controller', { object, controller: 'key' }, 'reconcileOnce.controller takes one of keys, got key'],
  ['no controller', { object, declare: () => {} }, 'takes a function that declares a controller, got one that'],
  [
    'an object without a kind',
    { object, objects: [object] },
    'reconcileOnce.objects[0] takes an object with apiVersion and kind',
  ],
  [
    'a kind that is not there',
    { object, objects: [{ ...secret, kind: 'Game' }] },
    'install its definition before, got v1 Game',
  ],
  ['no time', { object, now: new Date('x') }, 'reconcileOnce.now takes a valid Date'],
  ['an unknown option', { object, crds: [] } as object, 'reconcileOnce.crds is an unknown option'],
])('refuses %s', async (_, options, message) => {
  await using server = await start()
  await expect(reconcileOnce({ server, declare, ...options })).rejects.toThrow(message)
})

it('says what a run waits for that does not end', async () => {
  await using server = await start()
  const endless = (operator: Operator): unknown =>
    operator
      .controller('endless')
      .for(configMaps)
      .reconcile(({ sleep }) => sleep(3_600_000) as Promise<undefined>)
  await expect(reconcileOnce({ server, declare: endless, object, timeoutMs: 1 })).rejects.toThrow(
    /has not settled within 0.001 s:\n {2}endless default\/a/,
  )
})
