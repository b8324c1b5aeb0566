import { jobs } from '@wherry/client/resources/batch'
import { configMaps, pods, secrets } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { inArcade } from './testkit/arcade.ts'
import { at, games, ours, secret } from './testkit/games.ts'

describe('C23: a run that waits for an object', () => {
  it('ends quietly, says what it waits for, and goes on when the object is ready', () =>
    inArcade(async ({ operator, client, start, after, forGames, simulation }) => {
      const outcomes: string[] = []
      void (async () => {
        for await (const { outcome } of operator.runs()) outcomes.push(outcome)
      })()
      forGames()
        .owns(ours)
        .reconcile(async ({ ready, apply, status, object }) => {
          const waiting = (phase: string): unknown => status({ phase })
          const isNew = ({ data }: { data?: { readonly value?: string } | undefined }): boolean | string =>
            data?.value === 'b2xk' ? 'it is old' : data?.value !== 'bm9uZQ=='
          const key = await ready(secrets, { name: 'key' }, isNew, { waiting })
          await apply(ours, { metadata: { name: object.metadata.name }, data: { key: key.data?.value ?? '' } })
          await status({ phase: 'Ready' })
        })
      await start('chess')
      const phase = async (): Promise<unknown> => (await client.get(games, at('chess')))?.status?.phase
      expect(await phase()).toBe('waits for v1/secrets key: it does not exist')
      expect(operator.explain('game', at('chess'))).toMatchObject({ failures: 0, queue: 'idle' })
      expect(`${operator.explain('game', at('chess'))}`).toContain('    it waits for v1/secrets key: it does not exist')
      const runs = outcomes.length
      // It waits for the object, not for a time.
      await simulation.advance(3_600_000)
      expect(outcomes.length).toBe(runs)
      await after(client.create(secrets, secret('key', 'old')))
      expect(await phase()).toBe('waits for v1/secrets key: it is old')
      await after(client.patch(secrets, at('key'), { stringData: { value: 'none' } }))
      expect(await phase()).toBe('waits for v1/secrets key: it is not ready')
      expect(await client.get(configMaps, at('chess'))).toBeUndefined()
      expect(new Set(outcomes)).toEqual(new Set(['waiting']))
      await after(client.patch(secrets, at('key'), { stringData: { value: 'new' } }))
      expect([await phase(), outcomes.at(-1)]).toEqual(['Ready', 'success'])
      expect((await client.get(configMaps, at('chess')))?.data).toEqual({ key: 'bmV3' })
      // What the last successful run has made is still its own while a run waits.
      await after(client.delete(secrets, at('key')))
      expect(outcomes.at(-1)).toBe('waiting')
      await after(client.delete(configMaps, at('chess')))
      await after(client.create(secrets, secret('key', 'new')))
      expect((await client.get(configMaps, at('chess')))?.data).toEqual({ key: 'bmV3' })
    }))

  it('X9: fails if its check returns a promise: it would wait forever, and a rejection would end the process', () =>
    inArcade(async ({ client, start, forGames, operator, simulation }) => {
      const checks = [async () => true, async () => Promise.reject(new Error('not awaited'))]
      for (const [at, isReady] of checks.entries()) {
        forGames(`game${at}`).reconcile(async ({ ready }) => {
          await ready(secrets, { name: 'key' }, isReady as never)
        })
      }
      await client.create(secrets, secret('key', 'new'))
      const settled = start('chess').catch(error => error)
      await simulation.advance(40_000)
      expect(await settled).toMatchObject({ code: 'NOT_SETTLED' })
      for (const name of ['game0', 'game1'])
        expect(operator.explain(name, at('chess')).lastRun).toMatchObject({
          outcome: 'error',
          error: { message: 'ready.isReady takes a function that returns true, false or a text, got a promise' },
        })
    }))

  it('C2: ends a delete that takes too long with the run', () =>
    inArcade(async ({ client, run, forGames, server, simulation, operator }) => {
      forGames('game', { reconcileTimeoutMs: 1000 }).reconcile(({ gone }) => gone(configMaps, { name: 'old' }))
      await client.create(configMaps, { metadata: at('old') })
      await server.faults.add({ match: { verb: 'delete', resource: 'configmaps' }, effect: { kind: 'hang' } })
      await client.create(games, { metadata: at('chess'), spec: { secret: 'x' } })
      run()
      await simulation.advance(3000)
      // The server deletes the object when the request ends.
      expect(operator.explain('game', at('chess')).lastRun).toMatchObject({ attempt: 2, outcome: 'success' })
      expect(simulation.environment.errors[0]).toMatchObject({ error: { code: 'RECONCILE_TIMEOUT' } })
    }))

  it('takes objects away one after the other, each when the one before it has gone', () =>
    inArcade(async ({ client, start, after, forGames }) => {
      const reported: string[] = []
      forGames()
        .finalizer('arcade.example.com/order', async ({ gone }) => {
          const waiting = (message: string): void => void reported.push(message)
          await gone(configMaps, { name: 'second' }, { waiting })
          await gone(secrets, { name: 'first' }, { waiting })
        })
        .reconcile(() => {})
      await client.create(secrets, secret('first', 'x'))
      const finalizers = ['arcade.example.com/held']
      await client.create(configMaps, { metadata: { ...at('second'), finalizers } })
      await start('chess')
      await after(client.delete(games, at('chess')))
      const left = (): Promise<boolean[]> =>
        Promise.all(
          [client.get(configMaps, at('second')), client.get(secrets, at('first')), client.get(games, at('chess'))].map(
            async one => (await one) !== undefined,
          ),
        )
      expect(await left()).toEqual([true, true, true])
      expect(new Set(reported)).toEqual(new Set(['waits for v1/configmaps second: it is being deleted']))
      await after(client.patch(configMaps, at('second'), { metadata: { finalizers: null } }))
      expect(await left()).toEqual([false, false, false])
      expect(reported.at(-1)).toBe('waits for v1/secrets first: it is being deleted')
    }))

  it.each([undefined, 'Orphan'] as const)(
    'takes what the object owns with it, unless the options say otherwise: %s',
    policy =>
      inArcade(async ({ client, start, after, forGames, simulation }) => {
        forGames()
          .finalizer('arcade.example.com/job', async ({ gone }) => {
            await gone(jobs, { name: 'job' }, policy === undefined ? {} : { propagationPolicy: policy })
          })
          .reconcile(() => {})
        const containers = [{ name: 'c', image: 'i' }]
        const template = { spec: { restartPolicy: 'Never', containers } }
        const { metadata } = await client.create(jobs, { metadata: at('job'), spec: { template } })
        const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'job', uid: metadata?.uid ?? '' }
        await client.create(pods, { metadata: { ...at('pod'), ownerReferences: [owner] }, spec: { containers } })
        await start('chess')
        await after(client.delete(games, at('chess')))
        await simulation.advance(60_000)
        expect(await client.get(jobs, at('job'))).toBeUndefined()
        expect((await client.get(pods, at('pod'))) !== undefined).toBe(policy === 'Orphan')
        expect(simulation.environment.warnings).toEqual([])
      }),
  )

  it('fails as other runs do if its predicate throws, and refuses wrong arguments', () =>
    inArcade(async ({ operator, start, forGames, client, simulation }) => {
      const errors: unknown[] = []
      await client.create(secrets, secret('key', 'x'))
      let attempts = 0
      forGames().reconcile(async ({ ready, gone, attempt }) => {
        attempts = attempt
        errors.push(await ready(secrets, { name: 'key' }, 'yes' as never).catch(({ message }) => message))
        errors.push(await gone(secrets, { name: 'none' }, { wait: 1 } as never).catch(({ message }) => message))
        await ready(secrets, { name: 'key' }, () => {
          throw new Error('on purpose')
        })
      })
      await start().catch(() => {})
      await client.create(games, { metadata: at('chess'), spec: { secret: 'key' } })
      await simulation.advance(1000)
      expect(errors.slice(0, 2)).toEqual([
        expect.stringContaining('ready.isReady takes a function'),
        expect.stringContaining('gone.wait is an unknown option'),
      ])
      expect(attempts).toBeGreaterThan(2)
      expect(`${operator.explain('game', at('chess'))}`).toContain('it threw on purpose')
    }))
})
