import { Client, isAlreadyExists, isConflict } from '@wherry/client'
import { mutatingWebhookConfigurations } from '@wherry/client/resources/admissionregistration'
import { type Deployment, deployments } from '@wherry/client/resources/apps'
import { configMaps, namespaces } from '@wherry/client/resources/core'
import type { ApiServer } from '@wherry/testing'
import { expect, it } from 'vitest'
import { defineGames, type Game, games } from '../../apply/games.fixture.ts'
import { parts } from '../../parts/parts.ts'
import { specPart } from '../../parts/spec-part.ts'
import { statusPart } from '../../parts/status-part.ts'
import { CopyReconciler } from '../copy-reconciler.ts'
import { hooked, hooks } from './hooks.ts'
import { serveHooks } from './https-hooks.ts'
import { InformerCache } from './informer-cache.ts'
import { copiesOf, fill, makeSources, type Options, settings, until } from './on-a-server.ts'

/** What a server that counts has counted but for watches, since it was asked last; `undefined`: it does not count. */
export type Counted = () => Promise<number | undefined>

const content = parts({ spec: specPart(), status: statusPart })

interface Cluster {
  readonly client: Client
  /** Starts a reconciler; the next one stops it. */
  start<P, T extends object>(options: Options<P, T>): Promise<CopyReconciler<P, T>>
  /** The same, without waiting for its work. */
  begin<P, T extends object>(options: Options<P, T>): Promise<CopyReconciler<P, T>>
  restart(): Promise<void>
}

/** What holds on an embedded and on a real API server alike. */
export function copiesOverSockets(server: () => ApiServer, counted: Counted): void {
  const connected = async (test: (cluster: Cluster) => Promise<void>): Promise<void> => {
    const { url, ca, token } = server()
    const client = new Client({ url, ca, token })
    let running: AsyncDisposable | undefined
    const begin: Cluster['begin'] = async options => {
      await running?.[Symbol.asyncDispose]()
      const one = new CopyReconciler({ ...options, client, cache: new InformerCache(client) })
      running = one
      one.start()
      return one
    }
    try {
      await test({
        client,
        begin,
        start: async options => {
          const one = await begin(options)
          await one.settled()
          return one
        },
        restart: async () => running?.[Symbol.asyncDispose](),
      })
    } finally {
      await running?.[Symbol.asyncDispose]()
      await client.close()
    }
  }

  it.each([
    ['ingest', 10, 100],
    ['full', 4, 20],
    ['annotations', 4, 20],
  ] as const)(
    'H3, H4, H7: mode %s, %i sources in %i namespaces: kept, repaired, and at rest without a request',
    { timeout: 300_000 },
    (mode, sources, targets) =>
      connected(async ({ client, start, restart }) => {
        const name = `many-${mode}`
        const [first = '', second = ''] = await fill(client, name, targets)
        await makeSources(client, name, sources)
        const reconciler = await start({ ...settings(name), mode })
        expect(await copiesOf(client, name)).toHaveLength(sources * targets)
        const rest = async (): Promise<void> => {
          await until(() => expect(reconciler.report()).toMatchObject({ queued: 0, running: 0, waiting: 0 }))
          const { writes } = reconciler.report()
          await counted()
          reconciler.resync()
          await reconciler.settled()
          expect([undefined, 0]).toContain(await counted())
          expect(reconciler.report().writes).toEqual(writes)
        }
        await rest()
        const key = { namespace: first, name: 's0' }
        await client.patch(configMaps, key, { data: { n: 'edited' } })
        await until(async () => expect((await client.get(configMaps, key))?.data).toEqual({ n: '0' }))
        await client.patch(configMaps, key, { metadata: { labels: { app: 'edited' } } })
        await until(async () => expect((await client.get(configMaps, key))?.metadata?.labels?.app).toBe('arcade'))
        await client.patch(configMaps, key, { metadata: { annotations: { note: 'x' }, labels: { note: 'x' } } })
        await client.delete(configMaps, { namespace: second, name: 's1' })
        await until(async () => expect(await client.get(configMaps, { namespace: second, name: 's1' })).toBeDefined())
        await rest()
        expect(reconciler.report()).toMatchObject({ repairs: 2, writes: { create: sources * targets + 1, update: 2 } })
        expect((await client.get(configMaps, key))?.metadata).toMatchObject({
          annotations: { note: 'x' },
          labels: { note: 'x', app: 'arcade' },
        })

        await client.patch(configMaps, { namespace: name, name: 's1' }, { data: { n: 'new' } })
        const withNew = async () => (await copiesOf(client, name)).filter(({ data }) => data?.n === 'new')
        await until(async () => expect(await withNew()).toHaveLength(targets))
        await client.delete(configMaps, { namespace: name, name: 's0' })
        await until(async () => expect(await copiesOf(client, name)).toHaveLength((sources - 1) * targets))
        await client.patch(namespaces, { name: second }, { metadata: { labels: { [name]: null } } })
        await until(async () => expect(await copiesOf(client, name)).toHaveLength((sources - 1) * (targets - 1)))
        await rest()

        await restart()
        await client.delete(configMaps, { namespace: first, name: 's1' })
        const after = await start({ ...settings(name), mode })
        expect(after.report()).toMatchObject({ dryRuns: 0, writes: { create: 1, update: 0, delete: 0 } })
        // A namespace on its way out: no request is made into it, and none fails.
        await client.delete(namespaces, { name: first })
        await until(() => expect(after.report()).toMatchObject({ queued: 0, running: 0, waiting: 0 }))
        expect(after.report().failures).toBe(0)
      }),
  )

  it(
    'X10: closed in the middle of its work, the next one writes what is missing and nothing else',
    {
      timeout: 120_000,
    },
    () =>
      connected(async ({ client, start, begin }) => {
        const name = 'halfway'
        await fill(client, name, 20)
        await makeSources(client, name, 4)
        let written = 0
        const stopped = Promise.withResolvers<void>()
        const first = await begin({
          ...settings(name),
          concurrency: 2,
          onEvent: ({ type }) => {
            written += type === 'written' ? 1 : 0
            if (written === 5) stopped.resolve(first.close())
          },
        })
        await stopped.promise
        const done = (await copiesOf(client, name)).length
        expect(done).toBeLessThan(10)
        const second = await start(settings(name))
        expect(await copiesOf(client, name)).toHaveLength(80)
        const { writes, dryRuns, failures } = second.report()
        expect({ dryRuns, failures, writes }).toMatchObject({
          dryRuns: 0,
          failures: 0,
          writes: { update: 0, delete: 0 },
        })
        // What was under way when it was closed may have come to the server after that.
        expect(writes.create).toBeGreaterThan(70)
        expect(writes.create).toBeLessThanOrEqual(80 - done)
      }),
  )

  it(
    'H6: defaults, pruning, a status, and a webhook over TLS: two writes a copy, and then none',
    { timeout: 120_000 },
    () =>
      connected(async ({ client, start }) => {
        const name = 'defaults'
        const spaces = await fill(client, name, 4)
        await served(client)
        await until(() =>
          client.create(games, { metadata: { namespace: name, name: 'chess' }, spec: { title: 'Chess' } }),
        )
        const options: Options<Game, Game> = {
          name,
          source: games.within({ namespaces: [name] }),
          copies: games,
          targets: name,
          build: ({ spec }) =>
            ({ spec: { title: spec?.title ?? '', pruned: 'x' } as Game['spec'], status: { phase: 'Copied' } }) as Game,
          parts: content,
        }
        const reconciler = await start(options)
        expect(reconciler.report()).toMatchObject({ writes: { create: 4, status: 4, update: 0 }, dryRuns: 0 })
        expect((await client.get(games, { namespace: spaces[1] ?? '', name: 'chess' }))?.spec).toEqual({
          title: 'Chess',
          lives: 3,
        })
        reconciler.resync()
        await reconciler.settled()
        expect(reconciler.report()).toMatchObject({ writes: { create: 4, status: 4, update: 0 } })
        const after = await start(options)
        expect(after.report()).toMatchObject({ dryRuns: 1, writes: { create: 0, status: 0, update: 0 } })
        await client.status.patch(games, { namespace: spaces[1] ?? '', name: 'chess' }, { status: { phase: 'Edited' } })
        await until(() => expect(after.report().writes.status).toBe(1))
      }),
  )

  it(
    'H6: a mutating webhook over TLS is learned from its answers, and after a restart by one dry run a source',
    { timeout: 120_000 },
    () =>
      connected(async ({ client, start }) => {
        const name = 'hooked'
        await fill(client, name, 4)
        await makeSources(client, name, 2)
        await using hook = await serveHooks(hooks(() => 'by the hook'))
        await client.create(
          mutatingWebhookConfigurations,
          hooked('configmaps', { [name]: 'x' }, hook.clientConfig) as never,
        )
        try {
          // a server takes its time to call a new webhook
          const probe = { namespace: `${name}-0`, name: 'probe' }
          await until(async () => {
            await client.delete(configMaps, probe)
            expect((await client.create(configMaps, { metadata: probe, data: { a: 'b' } })).data).toMatchObject({
              hooked: 'by the hook',
            })
          })
          const reconciler = await start(settings(name))
          expect(reconciler.report()).toMatchObject({ writes: { create: 8, update: 0 } })
          const after = await start(settings(name))
          expect(after.report()).toMatchObject({ dryRuns: 2, writes: { create: 0, update: 0 } })
          expect((await copiesOf(client, name)).every(({ data }) => data?.hooked === 'by the hook')).toBe(true)
          expect(hook.calls()).toBeGreaterThanOrEqual(10)
        } finally {
          await client.delete(mutatingWebhookConfigurations, { name: 'hooks' })
        }
      }),
  )

  it(
    'H5, H6: a storm of another writer ends as the source wants it, with its repairs damped',
    { timeout: 120_000 },
    () =>
      connected(async ({ client, start }) => {
        const name = 'storm'
        const spaces = await fill(client, name, 3)
        await makeSources(client, name, 2)
        const flapping: unknown[] = []
        const begun = performance.now()
        const reconciler = await start({
          ...settings(name),
          damping: { repairs: 3, minMs: 200, maxMs: 400 },
          onEvent: event => event.type === 'flapping' && flapping.push(event),
        })
        const key = { namespace: spaces[0] ?? '', name: 's0' }
        for (let i = 0; i < 60; i++) {
          const change = client.patch(configMaps, key, { data: { n: `rival ${i}` } }, { fieldManager: 'rival' })
          await change.catch(error => {
            if (!isConflict(error)) throw error
          })
        }
        await until(async () => {
          const { data } = (await client.get(configMaps, key)) ?? {}
          if (data?.n === '0') await client.patch(configMaps, key, { data: { n: 'rival' } }, { fieldManager: 'rival' })
          expect(flapping).toMatchObject([{ key: `${key.namespace}/s0`, managers: ['rival'] }])
        })
        await until(async () => expect((await client.get(configMaps, key))?.data).toEqual({ n: '0' }))
        await reconciler.settled()
        const { failing, repairs } = reconciler.report()
        expect(failing).toEqual(new Map())
        // Three at once, and never two within 200 ms after those.
        expect(repairs).toBeLessThanOrEqual(4 + (performance.now() - begun) / 200)
      }),
  )

  it(
    'H3, H6, X10: hashes in annotations: a restart makes no write and no dry run, and an edit meanwhile is repaired',
    {
      timeout: 120_000,
    },
    () =>
      connected(async ({ client, start, restart }) => {
        const name = 'annotated'
        const spaces = await fill(client, name, 4)
        await served(client)
        await until(() => client.create(games, { metadata: { namespace: name, name: 'go' }, spec: { title: 'Go' } }))
        const options: Options<Game, Game> = {
          name,
          source: games.within({ namespaces: [name] }),
          copies: games,
          targets: name,
          build: ({ spec }) => ({ spec: { title: spec?.title ?? '' }, status: { phase: 'Copied' } }),
          parts: content,
          mode: 'annotations',
        }
        const first = await start(options)
        expect(first.report().writes).toMatchObject({ create: 4, status: 4, annotate: 4, update: 0 })
        const second = await start(options)
        expect(second.report()).toMatchObject({ dryRuns: 0, writes: { create: 0, update: 0, status: 0, annotate: 0 } })
        await restart()
        const key = { namespace: spaces[1] ?? '', name: 'go' }
        await client.patch(games, key, { spec: { lives: 9 } })
        const third = await start(options)
        expect(third.report().writes).toMatchObject({ create: 0, update: 1, status: 0 })
        expect((await client.get(games, key))?.spec).toEqual({ title: 'Go', lives: 3 })
        await client.status.patch(games, key, { status: { phase: 'Edited' } })
        await until(async () => expect((await client.get(games, key))?.status).toEqual({ phase: 'Copied' }))
      }),
  )

  it(
    'H3: hashes in annotations of what counts a change of annotations as one of the generation: at rest all the same',
    {
      timeout: 120_000,
    },
    () =>
      connected(async ({ client, start }) => {
        const name = 'deployed'
        await fill(client, name, 3)
        const labels = { app: name }
        await client.create(deployments, {
          metadata: { namespace: name, name: 'web' },
          spec: {
            selector: { matchLabels: labels },
            template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web' }] } },
          },
        })
        const options: Options<Deployment, Deployment> = {
          name,
          source: deployments.within({ namespaces: [name] }),
          copies: deployments,
          targets: name,
          build: ({ spec }) => ({ spec }) as Deployment,
          parts: parts({ spec: specPart() }),
        }
        await start(options)
        // The hashes are added to what is there.
        const annotated = await start({ ...options, mode: 'annotations' })
        expect(annotated.report()).toMatchObject({ failures: 0, writes: { create: 0, update: 0 } })
        expect(annotated.report().writes.annotate).toBeLessThanOrEqual(6)
        const after = await start({ ...options, mode: 'annotations' })
        expect(after.report()).toMatchObject({ dryRuns: 0, failures: 0, writes: { create: 0, update: 0, annotate: 0 } })
      }),
  )
}

/** Defines the games, unless another test of the same server has. */
async function served(client: Client): Promise<void> {
  await defineGames(client).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error
  })
}
