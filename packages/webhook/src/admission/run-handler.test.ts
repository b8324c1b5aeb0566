import { configMaps, namespaces } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import type { CommonContext } from '../handler/context.ts'
import { games } from '../testkit/games.ts'
import { inMemory } from '../testkit/in-memory.ts'
import { gameOf, requestOf } from '../testkit/request.ts'

describe('B2: a handler', () => {
  it('sees a user and options also of a request that has none', () =>
    inMemory(async ({ webhooks }) => {
      const seen: unknown[] = []
      webhooks
        .webhook('all')
        .for(games)
        .validate(({ user, options, namespace, isDryRun }) => void seen.push({ user, options, namespace, isDryRun }))
      const none = { userInfo: undefined, options: null, namespace: '', dryRun: undefined }
      await webhooks.review('all', requestOf(none))
      await webhooks.review('all', requestOf({ ...none, userInfo: {}, options: undefined }))
      const user = { username: '', uid: undefined, groups: [], extra: {} }
      const expected = { user, options: {}, namespace: undefined, isDryRun: false }
      expect(seen).toEqual([expected, expected])
    }))

  it('can change neither the object, nor the old one, nor the user', () =>
    inMemory(async ({ webhooks }) => {
      const thrown: unknown[] = []
      const attempt = (change: () => void): void => {
        try {
          change()
        } catch (error) {
          thrown.push((error as Error).name)
        }
      }
      webhooks
        .webhook('changes')
        .for(games, { operations: ['UPDATE'] })
        .validate(({ object, old, user }) => {
          for (const one of [object, old]) {
            attempt(() => Object.assign(one, { kind: 'x' }))
            attempt(() => one.spec?.tags?.push('x'))
          }
          attempt(() => (user.groups as string[]).push('x'))
        })
      const object = gameOf({ title: null, tags: ['a'] })
      await webhooks.review('changes', requestOf({ operation: 'UPDATE', object, oldObject: structuredClone(object) }))
      expect(thrown).toEqual(Array.from({ length: 5 }, () => 'TypeError'))
    }))

  it('has a signal that is aborted once it has ended, and leaves no timer', () =>
    inMemory(async ({ webhooks, simulation }) => {
      const before = simulation.pending()
      const contexts: CommonContext[] = []
      webhooks
        .webhook('ends')
        .for(games)
        .validate(context => {
          contexts.push(context)
          expect(context.signal.aborted).toBe(false)
        })
      expect(await webhooks.review('ends', requestOf())).toMatchObject({ allowed: true })
      const signal = contexts[0]?.signal
      expect([signal?.aborted, signal?.reason.message]).toEqual([true, 'the request was answered'])
      expect(simulation.pending()).toEqual(before)
    }))

  it.each(['deny', 'warn'] as const)('that calls %s after the answer changes nothing, which is reported', call =>
    inMemory(async ({ webhooks, simulation }) => {
      const contexts: CommonContext[] = []
      webhooks
        .webhook('late')
        .for(games)
        .validate(context => void contexts.push(context))
      const answer = await webhooks.review('late', requestOf())
      contexts[0]?.[call]('too late')
      expect(answer).toEqual({ allowed: true, warnings: [], patch: [], status: undefined })
      const message = `the handler of late called ${call} after its request was answered: await all that it starts`
      expect(simulation.environment.errors).toEqual([
        { error: expect.objectContaining({ code: 'ANSWERED_ALREADY', message }), context: { phase: 'admission' } },
      ])
    }),
  )
})

describe('B2: a mutating handler', () => {
  it('has the same deadline, and returns no value either', () =>
    inMemory(async ({ webhooks }) => {
      webhooks
        .webhook('hangs')
        .for(games)
        .timeoutSeconds(1)
        .mutate(() => new Promise(() => {}))
      webhooks
        .webhook('returns')
        .for(games)
        .mutate((({ draft }: { draft: object }) => draft) as never)
      const { status } = await webhooks.review('hangs', requestOf())
      expect(status?.message).toBe('the webhook hangs failed: the handler did not end within 800 ms')
      expect((await webhooks.review('returns', requestOf())).status?.message).toContain('returned a value')
    }))

  it('may leave its draft as it likes if it refuses the request', () =>
    inMemory(async ({ webhooks, simulation }) => {
      webhooks
        .webhook('denies')
        .for(games)
        .mutate(({ draft, deny }) => {
          draft.spec = { title: new Date(0) as never }
          draft.status = {}
          deny('no')
        })
      const { status } = await webhooks.review('denies', requestOf())
      expect([status?.code, status?.message, simulation.environment.errors]).toEqual([403, 'no', []])
    }))
})

describe('B1: a read', () => {
  it('has the namespace of its request by default, and no namespace for an object in none', () =>
    inMemory(async ({ webhooks, operator, client }) => {
      const found: unknown[] = []
      webhooks
        .webhook('reads')
        .for(games)
        .validate(async ({ read }) => {
          const one = await read.get(configMaps, { name: 'limits' })
          const other = await read.get(configMaps, { name: 'limits', namespace: 'other' })
          const both = await read.list(configMaps, { namespace: 'other', labels: 'a=1' })
          const own = await read.get(namespaces, { name: 'other' })
          found.push(one?.data?.of, other?.data?.of, both.length, own?.metadata.name)
          found.push((await read.list(configMaps)).length)
        })
      await client.create(namespaces, { metadata: { name: 'other' } })
      for (const namespace of ['default', 'other'])
        await client.create(configMaps, { metadata: { name: 'limits', namespace }, data: { of: namespace } })
      const labels = { a: '1' }
      await client.create(configMaps, { metadata: { name: 'more', namespace: 'other', labels } })
      const holds = [operator.cache.hold(configMaps, 'test'), operator.cache.hold(namespaces, 'test')]
      await operator.cache.synced()
      expect(await webhooks.review('reads', requestOf())).toMatchObject({ allowed: true })
      expect(found).toEqual(['default', 'other', 1, 'other', 3])
      for (const hold of holds) await hold.release()
    }))

  it.each([
    ['of a view that the webhook declares', [configMaps], 'its informer has not synced yet'],
    ['of another view', [namespaces], 'no informer has it: declare it with .reads(view)'],
  ])('says what to do if there is no cache %s', (_, views, why) =>
    inMemory(async ({ webhooks }) => {
      const builder = webhooks.webhook('reads').for(games)
      for (const view of views) builder.reads(view)
      builder.validate(async ({ read }) => void (await read.list(configMaps)))
      const { status } = await webhooks.review('reads', requestOf())
      expect(status?.message).toBe(`the webhook reads failed: ${configMaps.key} can't be read from the cache: ${why}`)
    }),
  )
})
