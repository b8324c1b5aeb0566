import { Client, isAlreadyExists, isApiError, isConflict, isNotFound } from '@wherry/client'
import { mutatingWebhookConfigurations } from '@wherry/client/resources/admissionregistration'
import { configMaps, namespaces, type Secret, secrets as secretsOf } from '@wherry/client/resources/core'
import { ImmutableFieldError } from '@wherry/controller'
import { type ApiServer, choose, integer, seededRandom } from '@wherry/testing'
import { beforeAll, expect, it } from 'vitest'
import { CopyNameTakenError } from '../errors.ts'
import { copySetLabel } from '../marks.ts'
import type { CopiesOptions } from '../options.ts'
import { copied, defineGames, type Game, games, gamesOf } from './games.ts'
import { hooked, hooks } from './hooks.ts'
import { serveHooks } from './https-hooks.ts'
import type { ObservedTransport } from './observed-transport.ts'
import { copiesOf, fill, makeSources, onAServer, settingsOf, sourceOf, until } from './on-a-server.ts'

/** Tests that hold on embedded and on real API servers. */
export function copiesOnAServer(server: () => ApiServer): void {
  beforeAll(async () => {
    const { url, ca, token } = server()
    await using client = new Client({ url, ca, token })
    await defineGames(client)
  })

  const test = (title: string, body: Parameters<typeof onAServer>[1]): void => {
    it(title, () => onAServer(server(), body))
  }

  test('H4, H6: copies of another program, in the namespaces of a selector, are taken over, with a hash that metadata shows', async ({
    writer,
    transport,
    start,
  }) => {
    const name = 'hashes'
    const hashAnnotation = 'olm.operatorframework.io/nonStatusCopyHash'
    const [first = '', second = '', third = ''] = await fill(writer, name, 3)
    await writer.patch(namespaces, { name: third }, { metadata: { labels: { [name]: 'other' } } })
    await makeSources(writer, name, 2)
    const former = {
      metadata: {
        namespace: first,
        name: 's0',
        labels: { app: 'arcade', [copySetLabel]: name },
        annotations: { [hashAnnotation]: 'former' },
      },
      data: { n: '0', former: 'x' },
    }
    await writer.create(configMaps, former, { fieldManager: 'olm' })
    const options = {
      ...settingsOf(name),
      targets: { matchExpressions: [{ key: name, operator: 'In', values: ['x'] }] },
      formerManagers: ['olm'],
      hashAnnotation,
    }
    const { copies, settled } = await start(options)
    const hashes = async (): Promise<Record<string, string | undefined>> => {
      const view = configMaps.within({ labels: { [copySetLabel]: name } }).metadata()
      const entries = (await writer.list(view)).items.map(({ metadata: { annotations, ...key } }) => {
        return [`${key.namespace}/${key.name}`, annotations?.[hashAnnotation]] as const
      })
      return Object.fromEntries(entries)
    }
    const before = await hashes()
    const keys = [first, second].flatMap(namespace => [`${namespace}/s0`, `${namespace}/s1`])
    expect(Object.keys(before).sort()).toEqual(keys)
    expect(before[`${first}/s0`]).toMatch(/^[\w-]{22}$/)
    expect(before[`${first}/s0`]).toBe(before[`${second}/s0`])
    expect(before[`${first}/s0`]).not.toBe(before[`${first}/s1`])
    expect(await writer.get(configMaps, { namespace: first, name: 's0' })).toMatchObject({ data: { n: '0' } })
    expect((await writer.get(configMaps, { namespace: first, name: 's0' }))?.data).not.toHaveProperty('former')

    await writer.patch(
      configMaps,
      { namespace: first, name: 's0' },
      { metadata: { annotations: { [hashAnnotation]: 'x' } } },
    )
    await until(() => expect(copies.report().repairs).toBe(1))
    await settled()
    expect(await hashes()).toEqual(before)
    await writer.patch(configMaps, { namespace: name, name: 's0' }, { data: { n: 'new' } })
    await until(async () => expect((await hashes())[`${second}/s0`]).not.toBe(before[`${second}/s0`]))
    await settled()
    const after = await hashes()
    expect(after[`${first}/s0`]).toBe(after[`${second}/s0`])
    expect(after[`${first}/s1`]).toBe(before[`${first}/s1`])
    transport.counted()
    await start(options)
    expect(transport.counted()).not.toHaveProperty('PATCH configmaps')
  })

  test('H4, H7, X10: 300 copies are kept, an edit is repaired by one write without a read, and a resync or a restart writes nothing', async ({
    writer,
    transport,
    start,
    stop,
  }) => {
    const name = 'many'
    const [first = '', second = ''] = await fill(writer, name, 30)
    await makeSources(writer, name, 10)
    const { copies, settled } = await start(settingsOf(name))
    expect(await copiesOf(writer, name)).toHaveLength(300)
    const rest = async (): Promise<void> => {
      await settled()
      const { writes, unchanged } = copies.report()
      const count = copies.report().copies
      transport.counted()
      copies.resync()
      await until(() => expect(copies.report().unchanged - unchanged).toBeGreaterThanOrEqual(count))
      expect(transport.counted()).toEqual({})
      expect(copies.report().writes).toEqual(writes)
    }
    await rest()
    const key = { namespace: first, name: 's0' }
    await writer.patch(configMaps, key, { data: { n: 'edited' } })
    await until(() => expect(copies.report().repairs).toBe(1))
    expect(transport.counted()).toEqual({ 'PATCH configmaps': 1 })
    await writer.patch(configMaps, key, { metadata: { annotations: { note: 'x' }, labels: { note: 'x', app: null } } })
    await until(() => expect(copies.report().repairs).toBe(2))
    expect(await writer.get(configMaps, key)).toMatchObject({
      metadata: { annotations: { note: 'x' }, labels: { note: 'x', app: 'arcade' } },
      data: { n: '0' },
    })
    await writer.delete(configMaps, { namespace: second, name: 's1' })
    await until(() => expect(copies.report().writes).toMatchObject({ create: 301, update: 2 }))

    await writer.patch(configMaps, { namespace: name, name: 's1' }, { data: { n: 'new' } })
    const withNew = async () => (await copiesOf(writer, name)).filter(({ data }) => data?.n === 'new')
    await until(async () => expect(await withNew()).toHaveLength(30))
    await writer.delete(configMaps, { namespace: name, name: 's0' })
    await until(async () => expect(await copiesOf(writer, name)).toHaveLength(9 * 30))
    await writer.patch(namespaces, { name: second }, { metadata: { labels: { [name]: null } } })
    await until(async () => expect(await copiesOf(writer, name)).toHaveLength(9 * 29))
    await rest()

    await stop()
    await writer.delete(configMaps, { namespace: first, name: 's1' })
    transport.counted()
    const after = await start(settingsOf(name))
    expect(transport.counted()).toMatchObject({ 'PATCH configmaps': 1 })
    expect(after.copies.report().writes).toEqual({ create: 1, update: 0, delete: 0 })
    // No request is made into a namespace that is being deleted.
    await writer.delete(namespaces, { name: first })
    await after.settled()
    transport.counted()
    await writer.delete(configMaps, { namespace: first, name: 's2' })
    await after.settled()
    expect(transport.counted()).not.toHaveProperty('PATCH configmaps')
    expect(after.copies.report()).toMatchObject({ failures: 0, writes: { create: 1 } })
  })

  test('are switched off and on at run time: exactly those that were made go, and come back', async ({
    writer,
    start,
  }) => {
    const name = 'switched'
    const [first = ''] = await fill(writer, name, 3)
    await makeSources(writer, name, 2)
    const mine = { namespace: first, name: 's0' }
    await writer.create(configMaps, { metadata: mine, data: { n: 'mine' } }, { fieldManager: 'somebody' })
    const { copies } = await start(settingsOf(name))
    const found = (count: number) => until(async () => expect(await copiesOf(writer, name)).toHaveLength(count))
    await found(5)
    expect([...copies.report().failing.values()]).toMatchObject([
      { code: 'COPY_NAME_TAKEN', message: expect.stringContaining('written by somebody') },
    ])
    copies.disable()
    await found(0)
    copies.enable()
    await found(5)
    expect((await writer.get(configMaps, mine))?.data).toEqual({ n: 'mine' })
  })

  test('X10: stopped in the middle of its work, the next one writes the missing copies and nothing else', async ({
    writer,
    transport,
    begin,
    start,
    stop,
  }) => {
    const name = 'halfway'
    await fill(writer, name, 20)
    await makeSources(writer, name, 4)
    transport.counted()
    await begin({ ...settingsOf(name), concurrency: 1 })
    await until(() => expect(transport.sent('PATCH')).toBeGreaterThan(5))
    await stop()
    const done = (await copiesOf(writer, name)).length
    const { copies } = await start(settingsOf(name))
    expect(await copiesOf(writer, name)).toHaveLength(80)
    const { writes, failures } = copies.report()
    expect({ failures, ...writes }).toMatchObject({ failures: 0, update: 0, delete: 0 })
    // A request that was under way at the stop may have reached the server after the list above.
    expect(writes.create).toBeLessThanOrEqual(80 - done)
    expect(writes.create).toBeGreaterThan(0)
  })

  const other: Readonly<Record<string, Secret>> = {
    'another type': { type: 'kubernetes.io/basic-auth', data: { password: 'bmV3' } },
    'other data that are immutable': { type: 'Opaque', immutable: true, data: { password: 'bmV3' } },
  }
  for (const [title, change] of Object.entries(other)) {
    test(`H5: a Secret that is made again with ${title} while no operator runs is made again as a copy, or its error names the field`, async ({
      writer,
      reported,
      start,
      begin,
      stop,
    }) => {
      const name = `immutable${Object.keys(other).indexOf(title)}`
      const [target = ''] = await fill(writer, name, 1)
      const secrets: CopiesOptions<Secret, Secret> = {
        name,
        source: secretsOf.within({ namespaces: [name], labels: { source: 'x' } }),
        copies: secretsOf,
        targets: name,
        build: ({ type, immutable, data }) => ({ type, immutable: immutable ?? false, data: data ?? {} }),
      }
      const key = { namespace: name, name: 's' }
      const metadata = { ...key, labels: { source: 'x' } }
      const copy = () => writer.get(secretsOf, { namespace: target, name: 's' })
      const old: Secret = { type: 'Opaque', data: { password: 'b2xk' }, ...(change.immutable && { immutable: true }) }
      await writer.create(secretsOf, { metadata, ...old })
      await start(secrets)
      await stop()
      const before = await copy()
      await writer.delete(secretsOf, key)
      await writer.create(secretsOf, { metadata, ...change })

      const { copies } = await begin({ ...secrets, whenImmutable: 'fail' })
      await until(() => expect(copies.report().failing.get(`${target}/s`)).toBeInstanceOf(ImmutableFieldError))
      const { fields, message } = copies.report().failing.get(`${target}/s`) as ImmutableFieldError
      expect([fields, message]).toEqual([
        [expect.any(String)],
        expect.stringMatching(/^(type|data) of .* can't be changed in place: with/),
      ])
      expect((await copy())?.metadata?.uid).toBe(before?.metadata?.uid)

      reported.splice(0)
      const again = await start(secrets)
      const after = await copy()
      expect(after).toMatchObject(change)
      expect(after?.metadata?.uid).not.toBe(before?.metadata?.uid)
      expect(again.copies.report().writes).toEqual({ create: 1, update: 0, delete: 1 })
      expect(reported).toEqual([])

      // An object that another program made is left as it is.
      await stop()
      await writer.delete(secretsOf, { namespace: target, name: 's' })
      const labels = { [copySetLabel]: name }
      const foreign = { namespace: target, name: 's', labels }
      await writer.create(secretsOf, { metadata: foreign, ...old })
      const next = await begin(secrets)
      await until(() => expect(next.copies.report().failing.get(`${target}/s`)).toBeInstanceOf(CopyNameTakenError))
      expect((await copy())?.data).toEqual({ password: 'b2xk' })
    })
  }

  test('H6: what the server fills in costs no request, also after a restart, and a status is left to others', async ({
    writer,
    transport,
    start,
    stop,
  }) => {
    const name = 'defaults'
    const [first = ''] = await fill(writer, name, 4)
    await until(() => writer.create(games, { metadata: { namespace: name, name: 'chess' }, spec: { title: 'Chess' } }))
    const options: CopiesOptions<Game, Game> = {
      ...{ name, source: games.within({ namespaces: [name] }), copies: games, targets: name },
      build: ({ spec }) => ({ spec: { title: spec?.title ?? '' } }),
    }
    const { copies } = await start(options)
    expect(copies.report().writes).toEqual({ create: 4, update: 0, delete: 0 })
    const key = { namespace: first, name: 'chess' }
    expect((await writer.get(games, key))?.spec).toEqual({ title: 'Chess', lives: 3 })
    await writer.status.patch(games, key, { status: { phase: 'Copied' } })
    await stop()
    transport.counted()
    const after = await start(options)
    expect(transport.counted()['PATCH games']).toBeUndefined()
    expect(after.copies.report().writes).toEqual({ create: 0, update: 0, delete: 0 })
    await writer.patch(games, key, { spec: { title: 'Edited' } })
    await until(() => expect(after.copies.report().repairs).toBe(1))
    expect(await writer.get(games, key)).toMatchObject({ spec: { title: 'Chess' }, status: { phase: 'Copied' } })
  })

  test('H4: their status is applied, a change of it alone is repaired by one write, and a resync or a restart writes nothing', async ({
    writer,
    transport,
    reported,
    start,
    stop,
  }) => {
    const name = 'statuses'
    const [first = '', second = ''] = await fill(writer, name, 4)
    const source = { namespace: name, name: 'chess' }
    await writer.create(games, { metadata: source, spec: { title: 'Chess' } })
    const options = gamesOf(name, name)
    const { copies, settled } = await start(options)
    const status = async (namespace: string) => (await writer.get(games, { ...source, namespace }))?.status
    const change = (namespace: string, to: object) =>
      writer.status.patch(games, { ...source, namespace }, { status: to }, { fieldManager: 'somebody' })
    expect(await status(second)).toEqual(copied({ spec: { title: 'Chess' } }))
    expect(copies.report()).toMatchObject({ writes: { create: 4, update: 0 }, statusWrites: 4, learned: 0 })
    const rest = async (): Promise<void> => {
      await settled()
      const { unchanged } = copies.report()
      transport.counted()
      copies.resync()
      await until(() => expect(copies.report().unchanged - unchanged).toBeGreaterThanOrEqual(4))
      await settled()
      expect(transport.counted()).not.toHaveProperty('PATCH games')
    }
    await rest()
    const repaired = async (to: object): Promise<void> => {
      const { repairs } = copies.report()
      transport.counted()
      await change(first, to)
      await until(() => expect(copies.report().repairs).toBe(repairs + 1))
      expect(transport.counted()).toEqual({ 'PATCH games': 1 })
      await rest()
    }
    await repaired({ phase: 'Edited' })
    await repaired({ phase: null, conditions: [] })
    // Fields that another program adds stay, and are no reason to write.
    const added = {
      notes: { mine: 'x' },
      conditions: [
        { type: 'Mine', status: 'True' },
        { type: 'Copied', status: 'True' },
      ],
    }
    await change(first, added)
    await rest()
    expect(await status(first)).toMatchObject({ phase: 'Copied Chess', notes: { of: 'copies', mine: 'x' } })

    await stop()
    transport.counted()
    const after = await start({ ...options, status: game => (game.spec?.title === 'none' ? undefined : copied(game)) })
    expect(transport.counted()).not.toHaveProperty('PATCH games')
    expect(after.copies.report()).toMatchObject({ statusWrites: 0, learned: 0 })
    await writer.patch(games, source, { spec: { title: 'Go' } })
    await until(async () => expect(await status(second)).toEqual(copied({ spec: { title: 'Go' } })))
    await writer.patch(games, source, { spec: { title: 'none' } })
    await until(async () => expect((await status(second))?.phase).toBeUndefined())
    await until(async () =>
      expect(await status(first)).toEqual({ notes: { mine: 'x' }, conditions: [{ type: 'Mine', status: 'True' }] }),
    )
    expect(reported).toEqual([])
  })

  test('H6: what a webhook over TLS changes is learned, after a restart by one request a source', async ({
    writer,
    transport,
    start,
    stop,
  }) => {
    const name = 'hooked'
    await fill(writer, name, 4)
    await makeSources(writer, name, 2)
    await using hook = await serveHooks(hooks(() => 'by the hook'))
    const configuration = hooked('configmaps', { [name]: 'x' }, hook.clientConfig)
    await writer.create(mutatingWebhookConfigurations, configuration as never)
    try {
      // A server takes its time to call a new webhook.
      const probe = { namespace: `${name}-0`, name: 'probe' }
      await until(async () => {
        await writer.delete(configMaps, probe)
        const { data } = await writer.create(configMaps, { metadata: probe, data: { a: 'b' } })
        expect(data).toMatchObject({ hooked: 'by the hook' })
      })
      const options = { ...settingsOf(name), build: () => ({ data: { hooked: 'not by the hook' } }) }
      const first = await start(options)
      expect(first.copies.report().writes).toEqual({ create: 8, update: 0, delete: 0 })
      await stop()
      transport.counted()
      const after = await start(options)
      expect(transport.counted()['PATCH configmaps']).toBeLessThanOrEqual(2)
      expect(after.copies.report().writes).toEqual({ create: 0, update: 0, delete: 0 })
      expect((await copiesOf(writer, name)).map(({ data }) => data?.hooked)).toEqual(Array(8).fill('by the hook'))
    } finally {
      await writer.delete(mutatingWebhookConfigurations, { name: 'hooks' })
    }
  })

  test('H5, H6: a copy that another program fights for is reported once, with its name, and ends as its source wants it', async ({
    writer,
    reported,
    start,
  }) => {
    const name = 'storm'
    const [first = ''] = await fill(writer, name, 3)
    await makeSources(writer, name, 2)
    const { copies } = await start(settingsOf(name))
    const begun = performance.now()
    const key = { namespace: first, name: 's0' }
    const flapping = () => reported.filter(error => (error as { code?: string }).code === 'FLAPPING')
    await until(async () => {
      const { data } = (await writer.get(configMaps, key)) ?? {}
      if (data?.n === '0') {
        const change = writer.patch(configMaps, key, { data: { n: 'rival' } }, { fieldManager: 'rival' })
        await change.catch((error: unknown) => {
          if (!isConflict(error)) throw error
        })
      }
      expect(flapping()).toMatchObject([{ key: `${first}/s0`, managers: ['rival'] }])
    })
    await until(async () => expect((await writer.get(configMaps, key))?.data).toEqual({ n: '0' }))
    expect(flapping()).toHaveLength(1)
    // Three at once, and then none within a second.
    expect(copies.report().repairs).toBeLessThanOrEqual(4 + (performance.now() - begun) / 1000)
  })

  test('H5, H8: with 500s and 409s at random, every copy comes to what its source wants, and every failure is reported', async ({
    writer,
    transport,
    reported,
    begin,
  }) => {
    const name = 'refused'
    const spaces = await fill(writer, name, 6)
    await makeSources(writer, name, 3)
    transport.refuse('PATCH', 500, 3)
    const { copies, settled } = await begin({ ...settingsOf(name), maxRetryMs: 200 })
    await settled()
    expect(copies.report().failures).toBeGreaterThanOrEqual(3)
    await change(writer, transport, name, spaces)
    transport.refuseNothing()
    const sources = (await writer.list(settingsOf(name).source)).items
    const wanted = spaces.flatMap(space =>
      sources.map(({ metadata, data }) => `${space}/${metadata?.name} ${data?.n} arcade`),
    )
    await until(async () => {
      const found = (await copiesOf(writer, name)).map(
        ({ metadata, data }) => `${metadata?.namespace}/${metadata?.name} ${data?.n} ${metadata?.labels?.app}`,
      )
      expect(found.sort()).toEqual(wanted.sort())
    })
    await settled()
    const failed = reported.flatMap(error => (error instanceof AggregateError ? (error.errors as Error[]) : [error]))
    const of500 = failed.filter(error => isApiError(error) && error.status === 500)
    expect(of500).toHaveLength(transport.refused(500))
    expect(copies.report().failing).toEqual(new Map())
    const { writes } = copies.report()
    copies.resync()
    await settled()
    expect(copies.report().writes).toEqual(writes)
  })
}

/** Changes sources and copies at random, and the requests that the operator is refused. */
async function change(
  writer: Client,
  transport: ObservedTransport,
  name: string,
  spaces: readonly string[],
): Promise<void> {
  const random = seededRandom(1)
  /** The operator may make the same change first. */
  const quietly = (request: Promise<unknown>): Promise<unknown> =>
    request.catch((error: unknown) => {
      if (!isAlreadyExists(error) && !isNotFound(error) && !isConflict(error)) throw error
    })
  for (let step = 0; step < 60; step++) {
    const i = integer(random, 0, 2)
    const source = { namespace: name, name: `s${i}` }
    const copy = { namespace: choose(random, spaces), name: `s${i}` }
    const data = { n: `step ${step}` }
    const refuse = async (): Promise<void> =>
      transport.refuse(choose(random, ['PATCH', 'DELETE']), choose(random, [500, 409]), integer(random, 1, 4))
    await choose(random, [
      refuse,
      refuse,
      () => quietly(writer.patch(configMaps, source, { data })),
      () => quietly(writer.patch(configMaps, copy, { data })),
      () => quietly(writer.delete(configMaps, copy)),
      () => quietly(writer.delete(configMaps, source)),
      () => quietly(writer.create(configMaps, sourceOf(name, i))),
    ])()
  }
}
