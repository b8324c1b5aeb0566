import type { Client } from '@wherry/client'
import { type ConfigMap, configMaps, namespaces } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import type { CopyEvent } from './copy-event.ts'
import type { CopiesNotSettledError } from './errors.ts'
import { copySetLabel } from './marks.ts'
import { type Kit, withCopies } from './testkit/cluster.ts'

const at = (namespace: string, name = 's0') => ({ namespace, name })
const copiesOf = async ({ writer, run }: Kit): Promise<ConfigMap[]> =>
  (await run(() => writer.list(configMaps.within({ labels: copySetLabel })))).items
const ofType = <T extends CopyEvent['type']>(kit: Kit, type: T) =>
  kit.events.filter((event): event is Extract<CopyEvent, { readonly type: T }> => event.type === type)

describe('two writers', () => {
  it('H6: a copy that another program keeps changing is repaired ever more slowly, and told of once with its name', () =>
    withCopies(async kit => {
      await kit.fill(1, 2)
      const reconciler = await kit.settled()
      await kit.requests()
      let rounds = 0
      // Puts its own back whenever it sees the other's.
      const rival = async (): Promise<void> => {
        const copy = await kit.run(() => kit.writer.get(configMaps, at('t1')))
        if (copy?.data?.n === 'rival') return
        rounds += 1
        await kit.run(() => kit.writer.patch(configMaps, at('t1'), { data: { n: 'rival' } }, { fieldManager: 'rival' }))
      }
      for (let second = 0; second < 600; second++) {
        await rival()
        await kit.simulation.advance(1000)
      }
      // 3 at once, then after 1, 2, 4 … 256 s
      expect(reconciler.report().repairs).toBeGreaterThanOrEqual(8)
      expect(reconciler.report().repairs).toBeLessThanOrEqual(13)
      expect(rounds).toBe(reconciler.report().repairs + 1)
      expect(reconciler.report().flapping).toEqual(['t1/s0'])
      expect(ofType(kit, 'flapping')).toMatchObject([
        {
          key: 't1/s0',
          source: 'shared/s0',
          differences: [{ part: 'spec', paths: ['/data/n'] }],
          managers: ['rival'],
        },
      ])
      expect(kit.simulation.environment.metric('wherry_copies_flapping_total', { set: 'settings' })).toBe(1)
      // At peace it is forgotten, and repaired at once again.
      await kit.quiet(1_500_000)
      expect(reconciler.report().flapping).toEqual([])
      const before = reconciler.report().repairs
      await rival()
      await kit.quiet()
      expect(reconciler.report().repairs).toBe(before + 1)
    }))

  it('H5: conflicts are tried again, and what the other wrote is not overwritten unseen', () =>
    withCopies(async kit => {
      await kit.fill(1, 2)
      const reconciler = await kit.settled()
      kit.server.faults.add({
        match: { verb: 'update', resource: 'configmaps' },
        times: 3,
        effect: { kind: 'status', code: 409, reason: 'Conflict' },
      })
      await kit.run(() => kit.writer.patch(configMaps, at('t1'), { data: { n: 'edited' } }))
      await kit.quiet()
      expect((await kit.run(() => kit.writer.get(configMaps, at('t1'))))?.data).toEqual({ n: '0' })
      expect(reconciler.report()).toMatchObject({ conflicts: 3, failures: 0, repairs: 1 })
      expect(ofType(kit, 'conflict').map(({ key }) => key)).toEqual(['t1/s0', 't1/s0', 't1/s0'])
    }))
})

describe('deletes', () => {
  it('H5: carry the uid and the resourceVersion that were observed', () =>
    withCopies(async kit => {
      await kit.fill(1, 1)
      const asked: unknown[] = []
      const { client } = kit
      const recording = {
        environment: client.environment,
        get: client.get.bind(client),
        create: client.create.bind(client),
        update: client.update.bind(client),
        apply: client.apply.bind(client),
        delete: (...args: Parameters<Client['delete']>) => {
          asked.push(args[2]?.preconditions)
          return client.delete(...args)
        },
      } as unknown as Client
      await kit.settled({ client: recording })
      const { uid, resourceVersion } = (await kit.run(() => kit.writer.get(configMaps, at('t0'))))?.metadata ?? {}
      await kit.run(() => kit.writer.delete(configMaps, at('shared')))
      await kit.quiet()
      expect(asked).toEqual([{ uid, resourceVersion }])
    }))
})

describe('what is gone meanwhile', () => {
  it('H5: a copy that somebody else has deleted first is not told as deleted here', () =>
    withCopies(async kit => {
      await kit.fill(1, 2)
      // Somebody's delete comes to the server just before each of ours.
      const late = Object.assign(Object.create(kit.client) as Client, {
        environment: kit.client.environment,
        get: kit.client.get.bind(kit.client),
        create: kit.client.create.bind(kit.client),
        delete: async (...args: Parameters<Client['delete']>) => {
          await kit.writer.delete(configMaps, args[1] as { readonly namespace: string; readonly name: string })
          return kit.client.delete(...args)
        },
      })
      const reconciler = await kit.settled({ client: late })
      await kit.run(() => kit.writer.delete(configMaps, at('shared')))
      await kit.quiet()
      expect(reconciler.report()).toMatchObject({ failures: 0, conflicts: 0, running: 0, writes: { delete: 0 } })
      expect(ofType(kit, 'deleted')).toEqual([])
      expect(await copiesOf(kit)).toEqual([])
    }))

  it('H5: one whose mark was taken off, and that is gone when it is read, is made anew', () =>
    withCopies(async kit => {
      await kit.fill(1, 1)
      const reconciler = await kit.settled()
      const effect = { kind: 'delay', ms: 1000 } as const
      kit.server.faults.add({ match: { verb: 'get', resource: 'configmaps' }, times: 1, effect })
      await kit.run(() => kit.writer.patch(configMaps, at('t0'), { metadata: { labels: { [copySetLabel]: null } } }))
      await kit.quiet(300)
      expect(reconciler.report().running).toBe(1)
      await kit.run(() => kit.writer.delete(configMaps, at('t0')))
      await kit.quiet(5000)
      expect(await copiesOf(kit)).toHaveLength(1)
      expect(reconciler.report()).toMatchObject({ failures: 0, failing: new Map(), writes: { create: 2, update: 0 } })
    }))
})

describe('failures', () => {
  it('H8: every one is told, seen in the report, and tried again', () =>
    withCopies(async kit => {
      await kit.fill(2, 3)
      kit.server.faults.add({
        match: { verb: 'create', resource: 'configmaps', namespace: 't1' },
        times: 5,
        effect: { kind: 'status', code: 500, reason: 'InternalError' },
      })
      const reconciler = kit.reconciler()
      reconciler.start()
      await kit.simulation.advance(60)
      expect([...reconciler.report().failing.keys()].sort()).toEqual(['t1/s0', 't1/s1'])
      await kit.run(() => reconciler.settled())
      expect(reconciler.report()).toMatchObject({ failing: new Map(), failures: 5 })
      const failed = ofType(kit, 'failed')
      expect(failed).toHaveLength(5)
      expect(kit.simulation.environment.errors).toHaveLength(5)
      expect(failed.every(({ error }) => (error as { status?: number }).status === 500)).toBe(true)
      expect(await copiesOf(kit)).toHaveLength(6)
    }))

  it('H8: settled whose signal ends names what is left and what fails', () =>
    withCopies(async kit => {
      await kit.fill(6, 2)
      const reconciler = kit.reconciler({
        build: () => {
          throw new Error('no build')
        },
      })
      reconciler.start()
      await kit.quiet()
      const controller = new AbortController()
      const settled = reconciler.settled({ signal: controller.signal })
      const told = settled.then(String, (error: CopiesNotSettledError) => [error.pending, error.message.split('\n')])
      controller.abort(new Error('late'))
      const failing = [0, 1, 2, 3, 4, 5].flatMap(i => [`t0/s${i}: no build`, `t1/s${i}: no build`])
      const pending = ['0 queued, 0 running, 12 waiting for another try', ...failing]
      const shown = [...pending.slice(0, 10), 'and 3 more'].map(line => `  ${line}`)
      expect(await told).toEqual([
        expect.arrayContaining(pending),
        ['the copy reconciler settings has not settled in time:', ...shown],
      ])
    }))

  it('H8: what build throws is told for each copy, and the others go on', () =>
    withCopies(async kit => {
      await kit.fill(2, 2)
      let broken = true
      const reconciler = kit.reconciler({
        build: source => {
          if (broken && source.metadata?.name === 's1') throw new Error('no build')
          return { data: source.data ?? {} }
        },
      })
      reconciler.start()
      await kit.quiet()
      expect([...reconciler.report().failing].map(([key, { message }]) => [key, message])).toEqual([
        ['t0/s1', 'no build'],
        ['t1/s1', 'no build'],
      ])
      expect(await copiesOf(kit)).toHaveLength(2)
      broken = false
      await kit.run(() => reconciler.settled())
      expect(await copiesOf(kit)).toHaveLength(4)
    }))

  it('H8: a name that can not be made is told of its source and of each namespace, and holds up no other source', () =>
    withCopies(async kit => {
      await kit.fill(2, 1)
      const copyName = ({ metadata }: ConfigMap): string => {
        if (metadata?.name === 's0') throw new Error('no name')
        return `${metadata?.name}-copy`
      }
      const reconciler = kit.reconciler({ copyName })
      reconciler.start()
      await kit.quiet()
      await kit.run(() => kit.writer.create(namespaces, { metadata: { name: 't9', labels: { tenant: 'x' } } }))
      await kit.quiet()
      expect((await copiesOf(kit)).map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`)).toEqual([
        't0/s1-copy',
        't9/s1-copy',
      ])
      const failing = reconciler.report().failing
      expect(['shared/s0', 't0', 't9'].map(key => failing.get(key)?.message)).toEqual(Array(3).fill('no name'))
      expect([...failing.keys()].filter(key => key.includes('s1'))).toEqual([])
    }))

  it('H8: a copy that can not be hashed is told, and no other is held up by it', () =>
    withCopies(async kit => {
      await kit.fill(1, 2)
      const reconciler = kit.reconciler({ build: () => ({ data: { n: Number.NaN as never } }) })
      reconciler.start()
      await kit.quiet()
      expect([...reconciler.report().failing].map(([key, error]) => [key, (error as { code?: string }).code])).toEqual([
        ['t0/s0', 'NOT_JSON'],
        ['t1/s0', 'NOT_JSON'],
      ])
    }))

  it('H8: where sources can not be read, that is told, and work begins once they can', () =>
    withCopies(async kit => {
      await kit.fill(1, 2)
      const refusal = { kind: 'status', code: 403, reason: 'Forbidden' } as const
      kit.server.faults.add({
        match: { resource: 'configmaps', namespace: 'shared', verb: 'list' },
        times: 3,
        effect: refusal,
      })
      kit.server.faults.add({
        match: { resource: 'configmaps', namespace: 'shared', verb: 'watch' },
        times: 3,
        effect: refusal,
      })
      const reconciler = kit.reconciler()
      reconciler.start()
      await expect(kit.run(() => reconciler.synced())).rejects.toMatchObject({ status: 403 })
      expect(reconciler.report().state).toBe('syncing')
      expect(kit.simulation.environment.errors.map(({ context }) => context.phase)).toContain('sync')
      await kit.quiet(300_000)
      expect(reconciler.report().state).toBe('running')
      expect(await copiesOf(kit)).toHaveLength(2)
    }))

  it('X9: what onEvent throws is told, and harms nothing', () =>
    withCopies(async kit => {
      await kit.fill(1, 2)
      const reconciler = await kit.settled({
        onEvent: () => {
          throw new Error('listener')
        },
      })
      expect(reconciler.report()).toMatchObject({ failures: 0, copies: 2 })
      expect(kit.simulation.environment.errors.map(({ error, context }) => [error.message, context.phase])).toEqual([
        ['listener', 'onEvent'],
        ['listener', 'onEvent'],
      ])
    }))
})

describe('what is made of a source', () => {
  it('is changed for each namespace by adapt, named by copyName, and placed by a function', () =>
    withCopies(async kit => {
      await kit.fill(2, 3)
      const options = {
        targets: (source: ConfigMap, { metadata }: { readonly metadata: { name?: string | undefined } }) =>
          metadata.name !== 't1' || source.data?.everywhere === 'yes',
        adapt: (copy: ConfigMap, namespace: string) => ({ ...copy, data: { ...copy.data, namespace } }),
        copyName: (source: ConfigMap) => source.data?.as ?? `${source.metadata?.name}-copy`,
      }
      const reconciler = await kit.settled(options)
      const names = async () =>
        (await copiesOf(kit)).map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`).sort()
      const spaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system', 'other', 'shared', 't0', 't2']
      expect(await names()).toEqual(spaces.flatMap(space => [`${space}/s0-copy`, `${space}/s1-copy`]).sort())
      expect((await kit.run(() => kit.writer.get(configMaps, at('t2', 's0-copy'))))?.data).toEqual({
        n: '0',
        namespace: 't2',
      })
      await kit.run(() => kit.writer.patch(configMaps, at('shared'), { data: { everywhere: 'yes', as: 'renamed' } }))
      await kit.quiet()
      expect(await names()).toEqual(
        [...spaces, 't1']
          .flatMap(space => [`${space}/renamed`, ...(space === 't1' ? [] : [`${space}/s1-copy`])])
          .sort(),
      )
      await kit.requests()
      reconciler.resync()
      await kit.run(() => reconciler.settled())
      expect(await kit.requests()).toEqual({})
      await kit.run(() => kit.writer.delete(configMaps, at('shared')))
      await kit.quiet()
      expect((await names()).filter(name => name.includes('renamed'))).toEqual([])
    }))

  it('is never a copy of itself, nor of a copy', () =>
    withCopies(async kit => {
      await kit.fill(1, 1)
      await kit.run(() => kit.writer.patch(namespaces, { name: 'shared' }, { metadata: { labels: { tenant: 'x' } } }))
      const reconciler = await kit.settled({ source: configMaps.within({ labels: { app: 'arcade' } }) })
      expect(reconciler.report()).toMatchObject({ sources: 1, copies: 1, failures: 0 })
      expect((await kit.run(() => kit.writer.get(configMaps, at('shared'))))?.metadata?.labels).toEqual({
        app: 'arcade',
      })
    }))

  it('may be nothing: then copies that are there go', () =>
    withCopies(async kit => {
      await kit.fill(1, 2)
      await kit.settled({ build: ({ data }) => (data?.off ? undefined : { data: data ?? {} }) })
      expect(await copiesOf(kit)).toHaveLength(2)
      await kit.run(() => kit.writer.patch(configMaps, at('shared'), { data: { off: 'x' } }))
      await kit.quiet()
      expect(await copiesOf(kit)).toEqual([])
    }))

  it('H7: a state of it that its copies do not depend on costs no request and no look at them', () =>
    withCopies(async kit => {
      await kit.fill(1, 3)
      await kit.settled()
      await kit.requests()
      await kit.run(() => kit.writer.patch(configMaps, at('shared'), { metadata: { annotations: { note: 'x' } } }))
      await kit.quiet()
      expect(await kit.requests()).toEqual({ 'patch configmaps': 1 })
    }))
})

describe('its life', () => {
  it('begins with start, ends with close, and says so', () =>
    withCopies(async kit => {
      await kit.fill(1, 2)
      const reconciler = kit.reconciler()
      await expect(reconciler.settled()).rejects.toMatchObject({ code: 'COPIES_NOT_RUNNING' })
      reconciler.resync()
      expect(reconciler.report()).toMatchObject({ state: 'idle', sources: 0, copies: 0 })
      reconciler.start()
      reconciler.start()
      for (const wait of ['synced', 'settled'] as const) {
        const error = await reconciler[wait]({ signal: AbortSignal.abort('late') }).catch((error: unknown) => error)
        const { code, message, cause } = error as CopiesNotSettledError
        expect([code, cause]).toEqual(['COPIES_NOT_SETTLED', 'late'])
        expect(message).toContain(
          `the copy reconciler settings has not ${wait} in time:\n  /v1/configmaps?namespaces=shared`,
        )
        expect(message).toMatch(/ has not synced \(\w+\)$/)
      }
      const controller = new AbortController()
      const bounded = expect(reconciler.settled({ signal: controller.signal })).rejects.toThrow('has not synced')
      controller.abort(new Error('late'))
      await bounded
      await kit.run(() => reconciler.synced())
      await kit.run(() => reconciler.settled())
      expect(reconciler.report().state).toBe('running')
      await kit.run(() => Promise.all([reconciler.close(), reconciler.close()]))
      expect(reconciler.report()).toMatchObject({ state: 'closed', queued: 0, running: 0, waiting: 0 })
      expect(() => reconciler.start()).toThrow(expect.objectContaining({ code: 'COPIES_NOT_RUNNING' }))
      await expect(reconciler.plan()).rejects.toMatchObject({ code: 'COPIES_NOT_RUNNING' })
      await expect(reconciler.settled()).rejects.toMatchObject({ code: 'COPIES_NOT_RUNNING' })
      expect(kit.cache.views).toEqual([])
      kit.events.length = 0
      await kit.run(() => kit.writer.delete(configMaps, at('t0')))
      await kit.quiet()
      expect(kit.events).toEqual([])
    }))

  it('X10: closed in the middle of its work, another one goes on where it was', () =>
    withCopies(async kit => {
      await kit.fill(4, 10)
      const first = kit.reconciler({ concurrency: 2 })
      first.start()
      await kit.run(() => first.synced())
      const settled = expect(first.settled()).rejects.toMatchObject({ code: 'COPIES_NOT_RUNNING' })
      await kit.simulation.runUntil(() => first.report().writes.create >= 7)
      await kit.run(() => first.close())
      await settled
      const done = (await copiesOf(kit)).length
      expect(done).toBeLessThan(40)
      await kit.requests()
      const second = await kit.settled()
      expect((await kit.requests())['create configmaps']).toBe(40 - done)
      expect(second.report()).toMatchObject({ copies: 40, writes: { update: 0 } })
    }))

  it('H9: counts writes by verb and reason, skipped writes and repairs', () =>
    withCopies(async kit => {
      await kit.fill(1, 2)
      const reconciler = await kit.settled()
      await kit.run(() => kit.writer.patch(configMaps, at('t0'), { data: { n: 'x' } }))
      await kit.quiet()
      await kit.run(() => kit.writer.delete(configMaps, at('shared')))
      await kit.quiet()
      const { writes, repairs, skipped } = reconciler.report()
      expect(writes).toEqual({ create: 2, update: 1, apply: 0, status: 0, annotate: 0, delete: 2 })
      expect(repairs).toBe(1)
      const { environment } = kit.simulation
      const metric = (name: string, labels = {}) =>
        environment.metric(`wherry_copies_${name}`, { set: 'settings', ...labels })
      expect(metric('writes_total', { verb: 'create', reason: 'missing' })).toBe(2)
      expect(metric('writes_total', { verb: 'update', reason: 'drift' })).toBe(1)
      expect(metric('writes_total', { verb: 'delete', reason: 'unwanted' })).toBe(2)
      expect(metric('drift_repairs_total')).toBe(1)
      expect(skipped).toBeGreaterThan(0)
      expect(metric('skipped_writes_total')).toBe(skipped)
    }))
})
