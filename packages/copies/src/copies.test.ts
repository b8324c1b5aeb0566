import { mutatingWebhookConfigurations } from '@wherry/client/resources/admissionregistration'
import { type ConfigMap, configMaps, namespaces, type Secret, secrets } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import type { Copies } from './copies.ts'
import { CopyNameTakenError, InvalidCopyError } from './errors.ts'
import { copiedFromAnnotation, copySetLabel } from './marks.ts'
import type { CopiesOptions } from './options.ts'
import { type Kit, settings, withCopies } from './testkit/cluster.ts'
import { hooked, hooks } from './testkit/hooks.ts'

const at = (namespace: string, name = 's0') => ({ namespace, name })
const copiesOf = async ({ writer, run }: Kit): Promise<string[]> => {
  const { items } = await run(() => writer.list(configMaps.within({ labels: copySetLabel })))
  return items.map(({ metadata, data }) => `${metadata?.namespace}/${metadata?.name} ${data?.n}`).sort()
}
const read = ({ run, writer }: Kit, key: { namespace: string; name: string }) => run(() => writer.get(configMaps, key))

describe('copies', () => {
  it('H4, H7: are created, and a resync makes no request', () =>
    withCopies(async kit => {
      await kit.fill(3, 5)
      await kit.requests()
      const { copies } = await kit.settled()
      const { 'patch configmaps': applied, ...rest } = await kit.requests()
      expect(applied).toBe(15)
      expect(Object.keys(rest).filter(what => !what.startsWith('list'))).toEqual([])
      expect(await read(kit, at('t2', 's1'))).toMatchObject({
        metadata: {
          labels: { app: 'arcade', [copySetLabel]: 'settings' },
          annotations: { [copiedFromAnnotation]: 'settings shared/s1' },
        },
        data: { n: '1' },
      })
      await kit.requests()
      copies.resync()
      await kit.quiet()
      expect(await kit.requests()).toEqual({})
      expect(copies.report()).toMatchObject({
        ...{ name: 'settings', sources: 3, copies: 15, failing: new Map(), failures: 0, delayed: [] },
        ...{ writes: { create: 15, update: 0, delete: 0 }, unchanged: 15, learned: 0 },
      })
    }))

  it.each<[string, object]>([
    ['a list of another resource', { kind: 'SecretList', apiVersion: 'v1' }],
    ['no kind', {}],
    ['a bare List', { kind: 'List', apiVersion: 'v1' }],
    ['a Status', { kind: 'Status', apiVersion: 'v1', status: 'Success' }],
  ])('X14: no copy is deleted after an answer that is not the list asked for: %s', (_, type) =>
    withCopies(async kit => {
      await kit.fill(2, 3)
      await kit.settled()
      const before = await copiesOf(kit)
      const lie = JSON.stringify({ ...type, metadata: { resourceVersion: '100000' }, items: [] })
      const effect = { kind: 'status', code: 200, plain: true, message: lie } as const
      const faults = await Promise.all(
        ['watch', 'list'].map(verb => kit.server.faults.add({ match: { verb, resource: 'configmaps' }, effect })),
      )
      await kit.requests()
      await kit.server.endWatches()
      await kit.simulation.advance(300_000)
      const { 'delete configmaps': deleted, ...asked } = await kit.requests()
      expect(deleted).toBeUndefined()
      expect(asked['list configmaps']).toBeGreaterThan(3)
      await Promise.all(faults.map(fault => fault.remove()))
      await kit.simulation.advance(120_000)
      expect(await copiesOf(kit)).toEqual(before)
    }),
  )

  it('H4: an edit by hand is repaired with one write and no read, and what others add is left alone', () =>
    withCopies(async kit => {
      await kit.fill(2, 3)
      const { copies } = await kit.settled()
      await kit.requests()
      const edit = async (change: object) => {
        await kit.run(() => kit.writer.patch(configMaps, at('t1'), change))
        await kit.quiet()
        const { 'patch configmaps': patches = 0, ...rest } = await kit.requests()
        // One is the edit itself.
        return { ...rest, applied: patches - 1 }
      }
      expect(await edit({ data: { n: 'edited' } })).toEqual({ applied: 1 })
      expect(await edit({ metadata: { labels: { app: null } } })).toEqual({ applied: 1 })
      expect(await edit({ metadata: { annotations: { note: 'mine' } }, data: { more: 'x' } })).toEqual({ applied: 0 })
      expect(await read(kit, at('t1'))).toMatchObject({
        data: { n: '0', more: 'x' },
        metadata: { labels: { app: 'arcade' }, annotations: { note: 'mine' } },
      })
      expect(copies.report()).toMatchObject({ repairs: 2, writes: { update: 2 } })
    }))

  it('H7: the event of one copy looks at that copy, and at no other', () =>
    withCopies(async kit => {
      await kit.fill(20, 10)
      const { copies } = await kit.settled()
      const { unchanged } = copies.report()
      await kit.run(() => kit.writer.patch(configMaps, at('t1'), { metadata: { annotations: { note: 'mine' } } }))
      await kit.quiet()
      expect(copies.report().unchanged - unchanged).toBe(1)
    }))

  it('H4, H7: a change of a source is written to each of its copies, once, and no copy of another is looked at', () =>
    withCopies(async kit => {
      await kit.fill(2, 4)
      const { copies } = await kit.settled()
      await kit.requests()
      const { unchanged } = copies.report()
      await kit.run(() => kit.writer.patch(configMaps, at('shared'), { data: { n: 'new' } }))
      await kit.quiet()
      expect(await kit.requests()).toEqual({ 'patch configmaps': 1 + 4 })
      expect((await copiesOf(kit)).filter(copy => copy.endsWith('new'))).toHaveLength(4)
      expect(copies.report()).toMatchObject({ repairs: 0, writes: { create: 8, update: 4 }, unchanged })
    }))

  it('are deleted with their source, and where a namespace is no target any more', () =>
    withCopies(async kit => {
      await kit.fill(2, 2)
      const { copies } = await kit.settled()
      await kit.run(() => kit.writer.delete(configMaps, at('shared', 's1')))
      await kit.quiet()
      expect(await copiesOf(kit)).toEqual(['t0/s0 0', 't1/s0 0'])
      await kit.run(() => kit.writer.patch(namespaces, { name: 't0' }, { metadata: { labels: { tenant: null } } }))
      await kit.quiet()
      expect(await copiesOf(kit)).toEqual(['t1/s0 0'])
      await kit.run(() => kit.writer.patch(namespaces, { name: 'other' }, { metadata: { labels: { tenant: 'x' } } }))
      await kit.quiet()
      expect(await copiesOf(kit)).toEqual(['other/s0 0', 't1/s0 0'])
      expect(copies.report().writes).toEqual({ create: 5, update: 0, delete: 3 })
    }))

  it('come back when they are deleted by hand, or their label is taken off', () =>
    withCopies(async kit => {
      await kit.fill(1, 2)
      await kit.settled()
      await kit.run(() => kit.writer.delete(configMaps, at('t0')))
      await kit.run(() => kit.writer.patch(configMaps, at('t1'), { metadata: { labels: { [copySetLabel]: null } } }))
      await kit.quiet()
      expect(await copiesOf(kit)).toEqual(['t0/s0 0', 't1/s0 0'])
      expect(kit.errors()).toEqual([])
    }))

  it('go with their namespace, and no request is made into it', () =>
    withCopies(async kit => {
      await kit.fill(2, 2)
      const { copies } = await kit.settled()
      await kit.requests()
      await kit.run(() => kit.writer.delete(namespaces, { name: 't0' }))
      await kit.quiet()
      expect(await kit.requests()).toEqual({ 'delete namespaces': 1 })
      expect(await copiesOf(kit)).toEqual(['t1/s0 0', 't1/s1 1'])
      expect(copies.report()).toMatchObject({ copies: 2, failures: 0 })
    }))

  it('are switched off and on while they are kept: exactly those that were made go, and come back', () =>
    withCopies(async kit => {
      await kit.fill(2, 2)
      await kit.run(() => kit.writer.create(configMaps, { metadata: at('t0', 's1'), data: { n: 'mine' } }))
      const labels = { [copySetLabel]: 'settings' }
      await kit.run(() => kit.writer.create(configMaps, { metadata: { ...at('other'), labels }, data: { n: 'mine' } }))
      const { copies } = await kit.settled()
      expect(await copiesOf(kit)).toEqual(['other/s0 mine', 't0/s0 0', 't1/s0 0', 't1/s1 1'])
      copies.disable()
      expect(copies.isEnabled).toBe(false)
      await kit.quiet()
      expect(await copiesOf(kit)).toEqual(['other/s0 mine'])
      expect((await read(kit, at('t0', 's1')))?.data).toEqual({ n: 'mine' })
      await kit.requests()
      copies.disable()
      copies.resync()
      await kit.quiet()
      expect(await kit.requests()).toEqual({})
      copies.enable()
      await kit.quiet()
      expect(await copiesOf(kit)).toEqual(['other/s0 mine', 't0/s0 0', 't1/s0 0', 't1/s1 1'])
    }))

  it('may be switched off from the start: those of an earlier run go', () =>
    withCopies(async kit => {
      await kit.fill(2, 2)
      const first = await kit.settled()
      await kit.run(first.stop)
      const { copies } = await kit.settled({ enabled: false })
      expect(await copiesOf(kit)).toEqual([])
      expect(copies.report()).toMatchObject({ isEnabled: false, writes: { create: 0, update: 0, delete: 4 } })
    }))

  it('H6, X10: after a restart only missing copies are written, and unwanted ones go', () =>
    withCopies(async kit => {
      await kit.fill(3, 3)
      const first = await kit.settled()
      await kit.run(first.stop)
      await kit.run(() => kit.writer.delete(configMaps, at('t0')))
      await kit.run(() => kit.writer.delete(configMaps, at('shared', 's1')))
      await kit.run(() => kit.writer.patch(configMaps, at('t1'), { data: { n: 'edited' } }))
      await kit.requests()
      const { copies } = await kit.settled()
      const requests = await kit.requests()
      expect(requests).toMatchObject({ 'patch configmaps': 2, 'delete configmaps': 3 })
      expect(Object.keys(requests).filter(what => what.startsWith('get'))).toEqual([])
      expect(copies.report()).toMatchObject({ writes: { create: 1, update: 1, delete: 3 }, repairs: 0 })
      expect(await copiesOf(kit)).toEqual(['t0', 't1', 't2'].flatMap(space => [`${space}/s0 0`, `${space}/s2 2`]))
    }))

  it('H6, X10: another stored form is learned from one request for each source after a restart', () =>
    withCopies(
      async kit => {
        await kit.fill(2, 10)
        const hook = hooked('configmaps', { tenant: 'x' })
        await kit.run(() => kit.writer.create(mutatingWebhookConfigurations, hook as never))
        const build = ({ data }: ConfigMap): ConfigMap => ({ data: { ...data, hooked: 'not by the hook' } })
        const first = await kit.settled({ build })
        expect(first.copies.report().writes).toEqual({ create: 20, update: 0, delete: 0 })
        expect((await read(kit, at('t1')))?.data).toEqual({ n: '0', hooked: 'by the hook' })
        await kit.run(first.stop)
        await kit.requests()
        const { copies } = await kit.settled({ build })
        expect((await kit.requests())['patch configmaps']).toBe(2)
        const nothing = { create: 0, update: 0, delete: 0 }
        expect(copies.report()).toMatchObject({ writes: nothing, learned: 2, unchanged: 18 })
        copies.resync()
        await kit.quiet()
        expect(await kit.requests()).toEqual({})
      },
      { webhooks: hooks(() => 'by the hook') },
    ))

  it('H6: what a webhook adds, even otherwise in each namespace, makes no request', () =>
    withCopies(
      async kit => {
        await kit.fill(2, 4)
        await kit.run(() =>
          kit.writer.create(mutatingWebhookConfigurations, hooked('configmaps', { tenant: 'x' }) as never),
        )
        const first = await kit.settled()
        expect((await read(kit, at('t1')))?.data).toEqual({ n: '0', hooked: 't1' })
        await kit.run(first.stop)
        await kit.requests()
        const { copies } = await kit.settled()
        copies.resync()
        await kit.quiet()
        expect((await kit.requests())['patch configmaps']).toBeUndefined()
      },
      { webhooks: hooks(namespace => namespace) },
    ))

  it('H6, H8: one that another program keeps changing is written ever more slowly, and reported once with its name', () =>
    withCopies(async kit => {
      await kit.fill(1, 2)
      const { copies } = await kit.settled()
      for (let i = 0; i < 100; i++) {
        await kit.run(() =>
          kit.writer.patch(configMaps, at('t0'), { data: { n: `${i} of a rival` } }, { fieldManager: 'rival' }),
        )
        await kit.quiet(100)
      }
      expect(kit.errors()).toMatchObject([{ code: 'FLAPPING', key: 't0/s0', managers: ['rival'] }])
      expect(copies.report().delayed).toEqual(['t0/s0'])
      // Three at once, and then after 1 s, 2 s and 4 s, in ten seconds.
      expect(copies.report().repairs).toBeLessThanOrEqual(6)
      await kit.quiet(60_000)
      expect(await copiesOf(kit)).toEqual(['t0/s0 0', 't1/s0 0'])
      expect(copies.report().delayed).toEqual([])
    }))

  describe('that the cache does not show yet', () => {
    const options: CopiesOptions<Secret, ConfigMap> = {
      ...{ name: 'behind', source: secrets.within({ namespaces: ['shared'] }), copies: configMaps, targets: 'tenant' },
      build: ({ data }) => ({ data: data ?? {} }),
    }
    /** From now on the cache receives no copy, until the returned function is called. */
    const behind = async (kit: Kit): Promise<() => Promise<void>> => {
      const match = { verb: 'watch', resource: 'configmaps' }
      await kit.run(() => kit.server.faults.add({ match, effect: { kind: 'hang' } }))
      await kit.run(() => kit.server.endWatches())
      await kit.quiet()
      return async () => {
        await kit.run(() => kit.server.faults.clear())
        await kit.run(() => kit.server.endWatches())
        await kit.quiet(900_000)
      }
    }
    const start = async (kit: Kit): Promise<Copies<Secret, ConfigMap>> => {
      await kit.fill(0, 1)
      await kit.run(() => kit.writer.create(secrets, { metadata: at('shared'), data: { n: 'eA==' } }))
      const { copies } = await kit.keep(options)
      expect(await copiesOf(kit)).toEqual(['t0/s0 eA=='])
      return copies
    }

    it('H5: are applied to the object that was observed, and not to one that has come in its place', () =>
      withCopies(async kit => {
        const copies = await start(kit)
        const catchUp = await behind(kit)
        await kit.run(() => kit.writer.delete(configMaps, at('t0')))
        await kit.run(() => kit.writer.create(configMaps, { metadata: at('t0'), data: { n: 'mine' } }))
        await kit.requests()
        await kit.run(() => kit.writer.patch(secrets, at('shared'), { data: { n: 'eQ==' } }))
        await kit.quiet()
        expect((await kit.requests())['patch configmaps']).toBeGreaterThan(0)
        await catchUp()
        expect((await read(kit, at('t0')))?.data).toEqual({ n: 'mine' })
        expect(copies.report()).toMatchObject({ writes: { update: 0 } })
        expect(copies.report().failing.get('t0/s0')).toBeInstanceOf(CopyNameTakenError)
      }))

    it('H5: are deleted as they were observed: what was changed meanwhile is observed first', () =>
      withCopies(async kit => {
        const copies = await start(kit)
        const catchUp = await behind(kit)
        await kit.run(() => kit.writer.patch(configMaps, at('t0'), { data: { more: 'mine' } }))
        await kit.run(() => kit.writer.delete(secrets, at('shared')))
        await kit.quiet()
        expect(await copiesOf(kit)).toEqual(['t0/s0 eA=='])
        expect([...copies.report().failing.keys()]).toEqual(['t0/s0'])
        await catchUp()
        expect(await copiesOf(kit)).toEqual([])
      }))
  })
})

describe('an object of a copy’s name', () => {
  const taken = (kit: Kit) => kit.errors().filter(error => error instanceof CopyNameTakenError)

  it('H5, H8: is left alone and reported once, and copied to once it has gone', () =>
    withCopies(async kit => {
      await kit.fill(2, 2)
      const theirs = { metadata: at('t0'), data: { n: 'mine' } }
      await kit.run(() => kit.writer.create(configMaps, theirs, { fieldManager: 'somebody' }))
      const { copies } = await kit.settled()
      await kit.quiet(300_000)
      expect(taken(kit)).toMatchObject([{ code: 'COPY_NAME_TAKEN', key: 't0/s0', source: 'shared/s0' }])
      expect(taken(kit)[0]?.message).toBe(
        "t0/s0 can't be a copy of shared/s0: an object of that name exists, written by somebody. It is left alone",
      )
      expect([...copies.report().failing.keys()]).toEqual(['t0/s0'])
      expect((await read(kit, at('t0')))?.data).toEqual({ n: 'mine' })
      expect(await copiesOf(kit)).toEqual(['t0/s1 1', 't1/s0 0', 't1/s1 1'])
      // A change of another copy does not make this one forgotten.
      await kit.run(() => kit.writer.patch(configMaps, at('shared', 's1'), { data: { n: 'new' } }))
      await kit.quiet()
      await kit.run(() => kit.writer.delete(configMaps, at('t0')))
      await kit.quiet()
      expect(await copiesOf(kit)).toEqual(['t0/s0 0', 't0/s1 new', 't1/s0 0', 't1/s1 new'])
      expect(copies.report().failing).toEqual(new Map())
    }))

  it('H5, H8: that takes the place of a copy while its write waits is left alone', () =>
    withCopies(async kit => {
      await kit.fill(1, 2)
      const { copies } = await kit.settled()
      // The write of the second copy waits for the answer to the first.
      const match = { verb: 'patch', resource: 'configmaps' } as const
      await kit.run(() => kit.writer.patch(configMaps, at('shared'), { data: { n: 'new' } }))
      await kit.run(() => kit.server.faults.add({ match, effect: { kind: 'delay', ms: 2000 } }))
      await kit.quiet(500)
      await kit.run(() => kit.writer.delete(configMaps, at('t1')))
      await kit.run(() => kit.writer.create(configMaps, { metadata: at('t1'), data: { n: 'mine' } }))
      await kit.quiet(60_000)
      expect((await read(kit, at('t1')))?.data).toEqual({ n: 'mine' })
      expect(await copiesOf(kit)).toEqual(['t0/s0 new'])
      expect([...copies.report().failing.keys()]).toEqual(['t1/s0'])
    }))

  it('that has the label by hand is taken over where a copy is wanted', () =>
    withCopies(async kit => {
      await kit.fill(1, 1)
      const labels = { [copySetLabel]: 'settings' }
      await kit.run(() => kit.writer.create(configMaps, { metadata: { ...at('t0'), labels }, data: { n: 'mine' } }))
      const { copies } = await kit.settled()
      expect(await copiesOf(kit)).toEqual(['t0/s0 0'])
      expect(copies.report()).toMatchObject({ writes: { update: 1 } })
    }))

  it('that an earlier version of the program wrote becomes a copy, without the fields that are no longer named', () =>
    withCopies(async kit => {
      await kit.fill(1, 1)
      const labels = { [copySetLabel]: 'settings', 'copies.wherry.dev/source': 'x' }
      const former = { metadata: { ...at('t0'), labels }, data: { n: '0', old: 'x' } }
      await kit.run(() => kit.writer.create(configMaps, former, { fieldManager: 'former' }))
      const { copies } = await kit.settled({ formerManagers: ['former'] })
      expect((await read(kit, at('t0')))?.data).toEqual({ n: '0' })
      expect((await read(kit, at('t0')))?.metadata?.labels).toEqual({ app: 'arcade', [copySetLabel]: 'settings' })
      copies.disable()
      await kit.quiet()
      expect(await copiesOf(kit)).toEqual([])
    }))

  it('of another set is never touched', () =>
    withCopies(async kit => {
      await kit.fill(1, 1)
      await kit.settled({ name: 'first' })
      const { copies } = await kit.settled({ name: 'second', build: () => ({ data: { n: 'second' } }) })
      expect(await copiesOf(kit)).toEqual(['t0/s0 0'])
      expect([...copies.report().failing.keys()]).toEqual(['t0/s0'])
    }))

  it('that two sources want is a copy of the first by key, and reported for the other', () =>
    withCopies(async kit => {
      await kit.fill(2, 1)
      const { copies } = await kit.settled({ copyName: () => 'all' })
      expect(await copiesOf(kit)).toEqual(['t0/all 0'])
      expect([...copies.report().failing.keys()]).toEqual(['source shared/s1'])
      expect(taken(kit)).toMatchObject([{ source: 'shared/s1', key: 'all' }])
      await kit.run(() => kit.writer.delete(configMaps, at('shared')))
      await kit.quiet()
      expect(await copiesOf(kit)).toEqual(['t0/all 1'])
      expect(copies.report().failing).toEqual(new Map())
    }))
})

describe('a source', () => {
  it('is changed for each namespace by adapt, named by copyName, and placed by a function or a list', () =>
    withCopies(async kit => {
      await kit.fill(2, 3)
      await kit.settled({
        targets: ({ metadata }: ConfigMap, { metadata: { name } }) => name === metadata?.name?.replace('s', 't'),
        adapt: (copy, namespace) => ({ ...copy, data: { ...copy.data, n: namespace } }),
        copyName: ({ metadata }) => `copy-of-${metadata?.name}`,
      })
      expect(await copiesOf(kit)).toEqual(['t0/copy-of-s0 t0', 't1/copy-of-s1 t1'])
      await kit.settled({ name: 'listed', targets: ['other'] })
      expect(await copiesOf(kit)).toEqual(['other/s0 0', 'other/s1 1', 't0/copy-of-s0 t0', 't1/copy-of-s1 t1'])
    }))

  it('has one hash for the copies that adapt left as they were built, and others for the others', () =>
    withCopies(async kit => {
      await kit.fill(1, 4)
      const adapt = (copy: ConfigMap, namespace: string): ConfigMap =>
        namespace < 't2' ? copy : { ...copy, data: { n: namespace } }
      await kit.settled({ adapt, hashAnnotation: 'hash' })
      const hashes: (string | undefined)[] = []
      for (const namespace of ['t0', 't1', 't2', 't3']) {
        hashes.push((await read(kit, at(namespace)))?.metadata?.annotations?.hash)
      }
      expect(hashes[0]).toBe(hashes[1])
      expect(new Set(hashes).size).toBe(3)
    }))

  it('that gives its copies another name has copies of the new name only', () =>
    withCopies(async kit => {
      await kit.fill(1, 2)
      await kit.settled({ copyName: ({ data }) => `of-${data?.n}` })
      await kit.run(() => kit.writer.patch(configMaps, at('shared'), { data: { n: 'new' } }))
      await kit.quiet()
      expect(await copiesOf(kit)).toEqual(['t0/of-new new', 't1/of-new new'])
    }))

  it('is never a copy of itself, nor of a copy', () =>
    withCopies(async kit => {
      await kit.fill(1, 1)
      await kit.settled({ source: configMaps.within({ labels: { app: 'arcade' } }), targets: ['shared', 't0'] })
      expect(await copiesOf(kit)).toEqual(['t0/s0 0'])
      expect(kit.errors()).toEqual([])
    }))

  it('may have no copies: then those that are there go', () =>
    withCopies(async kit => {
      await kit.fill(2, 1)
      await kit.settled({ build: ({ data }) => (data?.n === '0' ? undefined : { data }) })
      expect(await copiesOf(kit)).toEqual(['t0/s1 1'])
      await kit.run(() => kit.writer.patch(configMaps, at('shared', 's1'), { data: { n: '0' } }))
      await kit.quiet()
      expect(await copiesOf(kit)).toEqual([])
    }))

  it.each([
    [
      'throws',
      () => {
        throw new Error('no copy of that')
      },
      /no copy of that/,
    ],
    ['gives a promise', async () => ({}), /is a promise: build and adapt give one object, at once/],
    ['gives a list', () => [], /is a list/],
    ['gives a text', () => 'x', /is string/],
    ['gives null', () => null, /is null/],
    ['gives a status', () => ({ status: {} }), /has a status: leave it out/],
  ])('H8: for which build %s is reported once, its copies stay, and the others go on', (_, build, message) =>
    withCopies(async kit => {
      await kit.fill(2, 3)
      const first = await kit.settled()
      await kit.run(first.stop)
      await kit.run(() => kit.writer.patch(configMaps, at('shared', 's1'), { data: { n: 'new' } }))
      const { copies } = await kit.settled({
        build: (source: ConfigMap) =>
          (source.metadata?.name === 's0' ? (build() as ConfigMap) : settings.build(source)) as ConfigMap,
      })
      expect(await copiesOf(kit)).toEqual(['t0', 't1', 't2'].flatMap(space => [`${space}/s0 0`, `${space}/s1 new`]))
      expect(kit.errors()).toMatchObject([{ message: expect.stringMatching(message) }])
      expect([...copies.report().failing.keys()].sort()).toEqual(['t0/s0', 't1/s0', 't2/s0'])
    }),
  )

  it('H8: a function of targets that gives no boolean is an error, and nothing is deleted because of it', () =>
    withCopies(async kit => {
      await kit.fill(1, 1)
      const first = await kit.settled()
      await kit.run(first.stop)
      const { copies } = await kit.settled({ targets: (async () => false) as never })
      expect(await copiesOf(kit)).toEqual(['t0/s0 0'])
      expect([...copies.report().failing.keys()]).toEqual(expect.arrayContaining(['other/s0', 't0/s0']))
    }))

  it('H8: with copies that can have no name is reported, and holds up no other source', () =>
    withCopies(async kit => {
      await kit.fill(2, 1)
      const { copies } = await kit.settled({ copyName: ({ metadata }) => (metadata?.name === 's0' ? 'a/b' : 'fine') })
      expect(await copiesOf(kit)).toEqual(['t0/fine 1'])
      expect(copies.report().failing.get('source shared/s0')).toBeInstanceOf(InvalidCopyError)
    }))

  it('X9: for which copyName returns a promise that rejects is reported, and holds up no other source', () =>
    withCopies(async kit => {
      await kit.fill(2, 1)
      const copyName = (name?: string): unknown => (name === 's0' ? Promise.reject(new Error('no')) : 'fine')
      const { copies } = await kit.settled({ copyName: ({ metadata }) => copyName(metadata?.name) as string })
      expect(await copiesOf(kit)).toEqual(['t0/fine 1'])
      expect(copies.report().failing.get('source shared/s0')).toBeInstanceOf(InvalidCopyError)
    }))

  it('H8: with copies that can have no name is reported once for each state, and not when it is mended or deleted', () =>
    withCopies(async kit => {
      await kit.fill(2, 1)
      const { copies } = await kit.settled({
        copyName: ({ metadata, data }) => (data?.n === 'bad' ? 'a/b' : `${metadata?.name}`),
      })
      const edit = (name: string, n: string) =>
        kit.run(() => kit.writer.patch(configMaps, at('shared', name), { data: { n } }))
      await edit('s0', 'bad')
      await edit('s1', 'bad')
      await kit.quiet()
      expect(kit.errors()).toHaveLength(2)
      await edit('s0', 'fine')
      await kit.run(() => kit.writer.delete(configMaps, at('shared', 's1')))
      await kit.quiet()
      expect(kit.errors()).toHaveLength(2)
      expect(copies.report()).toMatchObject({ failures: 2, failing: new Map() })
      expect(await copiesOf(kit)).toEqual(['t0/s0 fine'])
    }))

  it('H8: of the kind Secret is reported without the words of what a function throws', () =>
    withCopies(async kit => {
      await kit.fill(0, 1)
      await kit.run(() => kit.writer.create(secrets, { metadata: at('shared'), stringData: { password: 'hunter2' } }))
      const { copies } = await kit.keep({
        ...{ name: 'secrets', source: secrets.within({ namespaces: ['shared'] }), copies: secrets, targets: 'tenant' },
        build: ({ data }) => {
          throw new Error(`not ${data?.password}`)
        },
      })
      const reported = [...kit.errors(), ...copies.report().failing.values()].map(({ message }) => message)
      expect(reported).toHaveLength(2)
      expect(reported.join()).not.toContain(Buffer.from('hunter2').toString('base64'))
    }))
})

describe('failures', () => {
  it('H8: every one is reported, counted in the report, and tried again; the other copies of the namespace are made', () =>
    withCopies(async kit => {
      await kit.fill(3, 1)
      await kit.run(() =>
        kit.server.faults.add({
          match: { verb: 'patch', resource: 'configmaps' },
          times: 2,
          effect: { kind: 'status', code: 500 },
        }),
      )
      const { copies } = await kit.settled()
      expect(await copiesOf(kit)).toEqual(['t0/s0 0', 't0/s1 1', 't0/s2 2'])
      expect(copies.report()).toMatchObject({ failures: 2, failing: new Map() })
      expect(kit.errors()).toMatchObject([{ code: 'COPIES_FAILED', errors: [{ status: 500 }, { status: 500 }] }])
    }))

  it('H8: settled names the namespace that is left, while one goes on', () =>
    withCopies(async kit => {
      await kit.fill(1, 1)
      const { copies, operator } = await kit.settled()
      await kit.run(() =>
        kit.server.faults.add({ match: { verb: 'patch', namespace: 't0' }, effect: { kind: 'status', code: 500 } }),
      )
      await kit.run(() => kit.writer.patch(configMaps, at('shared'), { data: { n: 'new' } }))
      await kit.quiet()
      const left = await kit.run(() => operator.settled({ timeoutMs: 1000 }).catch(String))
      expect(left).toMatch(/copies-settings.*t0/s)
      expect([...copies.report().failing.keys()]).toEqual(['t0/s0'])
    }))

  it('H9: writes are counted by verb and reason, with writes that were skipped and repairs', () =>
    withCopies(async kit => {
      await kit.fill(1, 2)
      const counted: string[] = []
      const count = (name: string, labels: Record<string, string> = {}): void => {
        if (name.startsWith('wherry_copies')) counted.push([name, ...Object.values(labels)].join(' '))
      }
      Object.assign(kit.client.environment.metrics, { count })
      const { copies } = await kit.settled()
      await kit.run(() => kit.writer.patch(configMaps, at('t0'), { data: { n: 'edited' } }))
      await kit.quiet()
      await kit.run(() => kit.writer.patch(configMaps, at('shared'), { data: { n: 'new' } }))
      await kit.quiet()
      copies.resync()
      await kit.quiet()
      await kit.run(() => kit.writer.delete(configMaps, at('shared')))
      await kit.quiet()
      const wrote = 'wherry_copies_writes_total settings'
      expect(counted).toEqual([
        ...Array(2).fill(`${wrote} create missing`),
        ...[`${wrote} update drift`, 'wherry_copies_drift_repairs_total settings'],
        ...Array(2).fill(`${wrote} update changed`),
        ...Array(2).fill('wherry_copies_skipped_writes_total settings'),
        ...Array(2).fill(`${wrote} delete unwanted`),
      ])
    }))
})
