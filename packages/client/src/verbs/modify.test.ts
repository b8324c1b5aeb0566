import type { RealApiServer } from '@wherry/testing'
import { startApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Client } from '../client.ts'
import { configMaps, serviceAccounts } from '../resources/core.ts'
import { differences } from './modify.ts'
import { scripted } from './scripted.fixture.ts'

const at = { name: 'shared', namespace: 'default' }
const isReal = await realApiServerAvailable('modify')

/** What a JSON patch of names alone makes of a value. */
function patched(value: unknown, operations: ReturnType<typeof differences>): unknown {
  const root = { '': structuredClone(value) } as Record<string, unknown>
  for (const operation of operations) {
    const names = operation.path.split('/').map(name => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    const last = names.pop() as string
    const holder = names.reduce<Record<string, unknown>>((of, name) => of[name] as Record<string, unknown>, root)
    if (operation.op === 'remove') delete holder[last]
    else
      Object.defineProperty(holder, last, {
        value: (operation as { value: unknown }).value,
        enumerable: true,
        configurable: true,
        writable: true,
      })
  }
  return root['']
}

const json = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(1, 2, 'a', true, null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c/d', '~e', ''), tie('value'), { noNullPrototype: true }),
  ),
})).value

describe('the difference of two objects', () => {
  it('makes the one of the other, and is nothing for equal ones', () => {
    const map = fc.dictionary(fc.constantFrom('a', 'b', 'c/d', '~e'), json, { noNullPrototype: true })
    fc.assert(
      fc.property(map, map, (old, now) => {
        expect(patched(old, differences(old, now))).toEqual(now)
        expect(differences(now, structuredClone(now))).toEqual([])
      }),
    )
  })

  it('has the names that differ alone, and lists as wholes', () => {
    const old = { metadata: { labels: { 'a/b': '1', c: '2' } }, list: [{ a: 1 }, { a: 2 }], gone: 1, same: { x: [1] } }
    const now = {
      metadata: { labels: { 'a/b': '3', c: '2', d: '4' } },
      list: [{ a: 1 }],
      gone: undefined,
      same: { x: [1] },
    }
    expect(differences(old, now)).toEqual([
      { op: 'replace', path: '/metadata/labels/a~1b', value: '3' },
      { op: 'add', path: '/metadata/labels/d', value: '4' },
      { op: 'replace', path: '/list', value: [{ a: 1 }] },
      { op: 'remove', path: '/gone' },
    ])
  })

  it('has at most 9,999 operations: more are whole fields of the object', () => {
    const data = (keys: number, value: string) => Object.fromEntries(Array.from({ length: keys }, (_, i) => [i, value]))
    const of = (keys: number, value: string) => ({ metadata: { labels: { a: value } }, data: data(keys, value), x: 1 })
    expect(differences(of(9_998, '1'), of(9_998, '2'))).toHaveLength(9_999)
    const now = of(200_000, '2')
    const operations = differences(of(200_000, '1'), now)
    expect(operations).toHaveLength(2)
    expect(operations).toEqual([
      { op: 'replace', path: '/metadata', value: now.metadata },
      { op: 'replace', path: '/data', value: now.data },
    ])
  })
})

describe.each([
  ['embedded', true],
  ['real', isReal],
] as const)('modify, on the %s server', (kind, isThere) => {
  it.runIf(isThere)(
    'changes a list that others fill, loses nothing of theirs, and sends nothing for no change',
    async () => {
      const server = kind === 'real' ? await sharedRealServer() : await startApiServer()
      const connection = { url: server.url, ca: server.ca, token: server.token }
      const clients = Array.from({ length: 4 }, (_, i) => new Client({ ...connection, fieldManager: `writer-${i}` }))
      const [client] = clients as [Client]
      try {
        expect(await client.modify(serviceAccounts, at, () => {})).toBeUndefined()
        await client.create(serviceAccounts, { metadata: at, imagePullSecrets: [{ name: 'theirs' }] })
        // All at once: each meets conflicts.
        const add = (one: Client, name: string) =>
          one.modify(serviceAccounts, at, account => {
            account.imagePullSecrets ??= []
            if (!account.imagePullSecrets.some(secret => secret.name === name)) account.imagePullSecrets.push({ name })
          })
        const names = clients.flatMap((_, i) => [0, 1].map(n => `secret-${i}-${n}`))
        await Promise.all(
          clients.map(async (one, i) => {
            for (const n of [0, 1]) await add(one, `secret-${i}-${n}`)
          }),
        )
        const there = await client.get(serviceAccounts, at)
        expect(there?.imagePullSecrets?.map(({ name }) => name).sort()).toEqual([...names, 'theirs'].sort())
        const again = await add(client, 'theirs')
        expect(again?.metadata.resourceVersion).toBe(there?.metadata.resourceVersion)
        const removed = await client.modify(serviceAccounts, at, account => {
          account.imagePullSecrets = account.imagePullSecrets?.filter(({ name }) => name === 'theirs')
          account.metadata.labels = { 'example.com/of': 'a.b' }
        })
        expect(removed).toMatchObject({
          imagePullSecrets: [{ name: 'theirs' }],
          metadata: { labels: { 'example.com/of': 'a.b' } },
        })
      } finally {
        await client.delete(serviceAccounts, at)
        await Promise.all(clients.map(one => one.close()))
        if (kind === 'embedded') await (server as Exclude<typeof server, RealApiServer>).close()
      }
    },
  )

  it.runIf(isThere)('changes more fields than a JSON patch may have operations', async () => {
    const server = kind === 'real' ? await sharedRealServer() : await startApiServer()
    const client = new Client({ url: server.url, ca: server.ca, token: server.token })
    const key = { name: 'many-keys', namespace: 'default' }
    try {
      const names = Array.from({ length: 10_500 }, (_, i) => `key-${i}`)
      await client.create(configMaps, { metadata: key, data: Object.fromEntries(names.map(name => [name, '1'])) })
      const changed = await client.modify(configMaps, key, draft => {
        for (const name of names) Object.assign(draft.data ?? {}, { [name]: '2' })
        draft.metadata.labels = { 'example.com/of': 'a.b' }
      })
      expect(new Set(Object.values(changed?.data ?? {}))).toEqual(new Set(['2']))
      expect(Object.keys(changed?.data ?? {})).toHaveLength(names.length)
      expect(changed?.metadata.labels).toEqual({ 'example.com/of': 'a.b' })
    } finally {
      await client.delete(configMaps, key)
      await client.close()
      if (kind === 'embedded') await (server as Exclude<typeof server, RealApiServer>).close()
    }
  })
})

describe('modify', () => {
  const body = {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { ...at, uid: 'u', resourceVersion: '5' },
    data: { a: '1' },
  }
  const conflict = {
    status: 409,
    body: { kind: 'Status', reason: 'Conflict', code: 409, message: 'x', details: { name: 'shared' } },
  }

  it('sends the difference alone, for the state that was read', async () => {
    const { client, run, requests } = scripted(() => ({ body }))
    await run(() => client.modify(configMaps, at, draft => void Object.assign(draft.data ?? {}, { b: '2' })))
    expect(requests.map(({ method }) => method)).toEqual(['GET', 'PATCH'])
    expect(JSON.parse(requests[1]?.body ?? '')).toEqual([
      { op: 'add', path: '/data/b', value: '2' },
      { op: 'replace', path: '/metadata/resourceVersion', value: '5' },
    ])
    await run(() => client.close())
  })

  it('gives up after ten conflicts, and finds an object that went meanwhile absent', async () => {
    const edit = (draft: { data?: Record<string, string> | undefined }) => {
      draft.data = { b: '2' }
    }
    const stubborn = scripted(({ method }) => (method === 'GET' ? { body } : conflict))
    await stubborn.run(() =>
      expect(stubborn.client.modify(configMaps, at, edit)).rejects.toMatchObject({ status: 409 }),
    )
    expect(stubborn.requests).toHaveLength(20)
    await stubborn.run(() => stubborn.client.close())
    const details = { name: 'shared', kind: 'configmaps' }
    const gone = scripted(({ method }) =>
      method === 'GET'
        ? { body }
        : { status: 404, body: { kind: 'Status', reason: 'NotFound', code: 404, message: 'x', details } },
    )
    expect(await gone.run(() => gone.client.modify(configMaps, at, edit))).toBeUndefined()
    await gone.run(() => gone.client.close())
  })

  it('refuses a view that has not the whole object, and a value that is no function, before any request', async () => {
    const { client, run, requests } = scripted(() => ({ body }))
    await run(async () => {
      await expect(client.modify(configMaps.metadata() as never, at, () => {})).rejects.toThrow('modify.view')
      await expect(client.modify(configMaps.project('x', () => 1) as never, at, () => {})).rejects.toThrow(
        'modify.view',
      )
      await expect(client.modify(configMaps, at, 'x' as never)).rejects.toThrow('modify.edit')
      await client.close()
    })
    expect(requests).toEqual([])
  })
})
