import { expect, it } from 'vitest'
import type { Client } from '../client.ts'
import { configMaps, pods } from '../resources/core.ts'
import { type ScriptedAnswer, type SeenRequest, scripted } from './scripted.fixture.ts'

const key = { name: 'chess', namespace: 'arcade' }
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...key, uid: 'u', resourceVersion: '5' } }
const page = { apiVersion: 'v1', kind: 'ConfigMapList', metadata: { resourceVersion: '5', continue: 'x' }, items: [{}] }
const many = configMaps.within({ namespaces: ['a', 'b', 'c'] })
const timeoutMs = 100

/** Each answer takes 40 ms, so that three requests take longer than the call may. */
function slow({ method, path }: SeenRequest): ScriptedAnswer {
  const afterMs = 40
  const refused = (code: number, reason: string): ScriptedAnswer => {
    return { afterMs, status: code, body: { kind: 'Status', code, reason, message: 'x', details: { name: 'chess' } } }
  }
  if (method === 'PATCH' && path.includes('/conflicts/')) return refused(409, 'Conflict')
  if (path.includes('continue=')) return refused(410, 'Expired')
  if (path === '/apis' || path === '/api')
    return { afterMs, body: { kind: 'APIGroupList', versions: ['v1'], groups: [] } }
  if (path === '/api/v1') {
    const resources = [{ name: 'configmaps', kind: 'ConfigMap', namespaced: true, verbs: ['get'] }]
    return { afterMs, body: { kind: 'APIResourceList', groupVersion: 'v1', resources } }
  }
  const [, namespace] = /namespaces\/(\w+)/.exec(path) ?? []
  if (method === 'PATCH' || path.includes('/chess')) {
    return { afterMs, body: { ...object, metadata: { ...object.metadata, namespace } } }
  }
  return { afterMs, body: page }
}

it.each<[string, (client: Client) => Promise<unknown>, string]>([
  ['a count of several namespaces', client => client.count(many, { timeoutMs }), 'GET /api/v1/namespaces/b/configmaps'],
  [
    'a modify with a conflict',
    client =>
      client.modify(configMaps, { ...key, namespace: 'conflicts' }, draft => void Object.assign(draft, { data: {} }), {
        timeoutMs,
      }),
    'GET /api/v1/namespaces/conflicts/configmaps/chess',
  ],
  [
    'a modify with an edit that does not end',
    client => client.modify(configMaps, key, () => new Promise(() => {}), { timeoutMs }),
    'PATCH /api/v1/namespaces/arcade/configmaps/chess',
  ],
  [
    'an apply of several objects',
    client => client.applyAll([object, object, object], { timeoutMs }),
    'PATCH /api/v1/namespaces/arcade/configmaps/chess',
  ],
])('timeoutMs bounds %s as a whole, and its error names the request', async (_, call, message) => {
  const { client, run, now, pending, advance } = scripted(slow)
  await run(async () => {
    await expect(call(client)).rejects.toMatchObject({
      code: 'TIMEOUT',
      timeoutMs,
      message: expect.stringContaining(message),
    })
    expect(now()).toBe(timeoutMs)
    await client.close()
  })
  await advance(1000)
  expect(pending()).toEqual([])
})

it('timeoutMs bounds each page of a list, with the list that follows if its state has gone', async () => {
  const { client, run, now } = scripted(slow)
  await run(async () => {
    const pages = client.pages(configMaps, { timeoutMs: 60, limit: 1 })
    await pages.next()
    const began = now()
    await expect(pages.next()).rejects.toMatchObject({ code: 'TIMEOUT', timeoutMs: 60 })
    expect(now() - began).toBe(60)
    await client.close()
  })
})

it.each<[string, (client: Client) => Promise<unknown>]>([
  ['an eviction', client => client.evict(pods, key, { timeoutMs: 60 })],
  ['a subresource', client => client.subresource(pods, key, 'other').create({}, { timeoutMs: 60 })],
  [
    'a deleted collection',
    client => client.deleteCollection(configMaps.within({ namespaces: ['a'] }), { timeoutMs: 60 }),
  ],
])('timeoutMs bounds %s with the read for its listeners; onError gets the error of that read', async (_, call) => {
  const { client, run, now, environment } = scripted(slow)
  const listening = client.withWriteListeners({ wrote() {}, deleted() {} })
  await run(async () => {
    await call(listening)
    expect(now()).toBe(60)
    await client.close()
  })
  expect(environment.errors).toMatchObject([
    { error: { code: 'TIMEOUT' }, context: { phase: 'read what was written' } },
  ])
})

it('waitFor goes on after a watch that has no answer until its own time is over', async () => {
  const { client, run } = scripted(({ path }) => (path.includes('watch=') ? 'hang' : { body: page }))
  const answers = [false, true]
  await run(async () => {
    const waiting = client.waitFor(configMaps, { name: 'a', namespace: 'a' }, () => answers.shift() ?? false, {
      timeoutMs: 3_600_000,
    })
    await expect(waiting).resolves.toBe(undefined)
    await client.close()
  })
  expect(answers).toEqual([])
})

it('waitFor waits before it lists again, also after a watch that the server ends at once', async () => {
  const { client, run, requests, now } = scripted(
    ({ path }) => (path.includes('watch=') ? { text: '' } : { body: page }),
    {},
  )
  await run(async () => {
    const waiting = client.waitFor(configMaps, { name: 'a', namespace: 'a' }, () => false, { timeoutMs: 60_000 })
    await expect(waiting).rejects.toMatchObject({ code: 'TIMEOUT' })
    expect(now()).toBe(60_000)
    await client.close()
  })
  expect(requests.length).toBeGreaterThan(4)
  expect(requests.length).toBeLessThan(20)
})
