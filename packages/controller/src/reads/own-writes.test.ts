import { defineResource } from '@wherry/client'
import { horizontalPodAutoscalers } from '@wherry/client/resources/autoscaling'
import { horizontalPodAutoscalers as horizontalPodAutoscalersV1 } from '@wherry/client/resources/autoscaling/v1'
import { type ConfigMap, configMaps, pods, secrets } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { OwnWrites, UnseenWrites } from './own-writes.ts'
import type { Read } from './read.ts'
import { type Kit, keyOf, withReads } from './testkit/kit.ts'

const web = configMaps.within({ labels: 'app=web' })
const labels = { app: 'web' }
const twoNamespaces = configMaps.within({ namespaces: ['a', 'b'] })

async function names(read: Read): Promise<(string | undefined)[]> {
  return (await read.list(web)).map(({ metadata, data }) => `${metadata?.name} ${data?.n}`).sort()
}

/** What there is of `a/x`. */
async function peeked(read: Read): Promise<unknown[]> {
  const found = await read.getUntracked(web, keyOf('a/x'))
  return found === undefined ? [] : [found]
}

describe('what this process wrote', () => {
  it('C10: is read by the next get and the next list, whichever way they are served', () =>
    withReads({ declared: [web] }, async ({ reads, run, writes }) => {
      const one = reads.begin('k', { namespace: 'a' })
      const { read } = one
      const key = keyOf('a/x')
      const seen = async (): Promise<unknown[]> => {
        const own = await read.get(web, key)
        const whole = await read.get(configMaps, key)
        const part = await read.get(configMaps, key, { select: ({ data }) => data?.n })
        return [await names(read), own?.data?.n, whole?.data?.n, part, (await read.getUntracked(web, key))?.data?.n]
      }
      await run(async () => {
        expect(await seen()).toEqual([[], undefined, undefined, undefined, undefined])
        for (let round = 0; round < 3; round++) {
          await writes.create(configMaps, { metadata: { ...key, labels }, data: { n: `${round}` } })
          expect(await seen()).toEqual([[`x ${round}`], `${round}`, `${round}`, `${round}`, `${round}`])
          await writes.patch(configMaps, key, { data: { n: 'new' } })
          expect(await seen()).toEqual([['x new'], 'new', 'new', 'new', 'new'])
          await writes.patch(configMaps, key, { data: { n: 'new' } })
          expect(await seen()).toEqual([['x new'], 'new', 'new', 'new', 'new'])
          // It leaves the selection.
          await writes.patch(configMaps, key, { metadata: { labels: { app: null } } })
          expect(await seen()).toEqual([[], undefined, 'new', 'new', undefined])
          await writes.patch(configMaps, key, { metadata: { labels } })
          expect(await seen()).toEqual([['x new'], 'new', 'new', 'new', 'new'])
          await writes.delete(configMaps, key)
          expect(await seen()).toEqual([[], undefined, undefined, undefined, undefined])
        }
      })
      one.succeed()
    }))

  it('C10: is seen by a peek, whole or in part', () =>
    withReads({ declared: [web] }, async ({ run, read, writes }) => {
      const key = keyOf('a/x')
      await run(async () => {
        expect(await read.getUntracked(web.metadata(), key)).toBeUndefined()
        await writes.create(configMaps, { metadata: { ...key, labels }, data: { n: '1' } })
        expect((await read.getUntracked(web, key))?.data).toEqual({ n: '1' })
        const { metadata } = await writes.patch(configMaps, key, { data: { n: '2' } })
        const head = await read.getUntracked(web.metadata(), key)
        expect([head?.metadata?.resourceVersion, head]).toEqual([
          metadata?.resourceVersion,
          { ...head, data: undefined },
        ])
        await writes.delete(configMaps, key)
        expect(await read.getUntracked(web, key)).toBeUndefined()
      })
    }))

  it('C11: a key that waited twice for what was written runs again for the next change', () =>
    withReads({ declared: [web] }, async ({ reads, run, write, cache, writer, taken }) => {
      await write('+a/z app=web')
      let reported = (): void => {}
      await run(() => cache.informer(web).addHandler({ update: () => reported() }))
      // The second write is answered while the first one is being shown, a little later in each round.
      for (let rounds = 0; rounds < 16; rounds += 1) {
        const path = `a/x${rounds}`
        await write(`+${path} app=web`)
        const { metadata } = (await run(() => writer.get(web, keyOf(path)))) as ConfigMap
        const wrote = (): void => {
          const next = Number(cache.informer(web).lastSyncedResourceVersion) + 1
          reads.writes.wrote(web, { metadata: { ...metadata, resourceVersion: `${next}` } })
        }
        wrote()
        const one = reads.begin(path, { namespace: 'a' })
        const reading = run(() => one.read.get(web, keyOf(path)))
        reported = () => {
          reported = () => {}
          let turns = Promise.resolve()
          for (let turn = 0; turn < rounds; turn += 1) turns = turns.then(() => {})
          void turns.then(wrote)
        }
        await write('~a/z', '~a/z')
        await write('~a/z')
        await reading
        one.succeed()
        await taken()
        await write(`~${path}`)
        expect(await taken()).toEqual([`${path}: ~${path}`])
      }
    }))

  it('C10: is hidden after a delete that names no uid, also before an informer has received that', () =>
    withReads({ declared: [web] }, async ({ reads }) => {
      const metadata = { ...keyOf('a/x'), uid: 'of x', resourceVersion: '1000000' }
      reads.writes.wrote(configMaps, { metadata })
      reads.writes.deleted(configMaps, keyOf('a/x'))
      expect(reads.writes.get(configMaps.resource, 'a/x')?.deleted).toEqual(['of x'])
    }))

  it('C10: is waited for by an informer that is read from for the first time', () => {
    const named = configMaps.within({ fields: { 'metadata.name': 'x' }, labels: 'tier=x' })
    return withReads({ declared: [web, named] }, async ({ run, read, writes }) => {
      const metadata = { ...keyOf('a/x'), labels: { ...labels, tier: 'x' } }
      await run(async () => {
        await writes.create(configMaps, { metadata, data: { n: '1' } })
        expect(await names(read)).toEqual(['x 1'])
        await writes.patch(configMaps, keyOf('a/x'), { data: { n: '2' } })
        expect((await read.list(named))[0]?.data).toEqual({ n: '2' })
      })
    })
  })

  it('C10: out of a selection is waited for where the informer shows what was before it, and else by nobody', () =>
    withReads({ declared: [web] }, async ({ reads, run, write, server, simulation, writer, read }) => {
      await run(() => names(read))
      // The watch delivers the initial state at once, and changes ten seconds later.
      const effect = { kind: 'slow', bytesPerSecond: 100 } as const
      await run(() => server.faults.add({ match: { verb: 'watch', resource: 'configmaps' }, effect }))
      await run(() => server.endWatches('configmaps'))
      await simulation.advance(5000)
      await write('+a/x app=web')
      const answer = await run(() => writer.patch(configMaps, keyOf('a/x'), { metadata: { labels: { app: 'api' } } }))
      reads.writes.wrote(configMaps, answer)
      expect([await run(() => names(read)), reads.catchingUp]).toEqual([[], false])
      const seen = new Set<string>()
      for (let second = 0; second < 30; second++) {
        await simulation.advance(1000)
        if (reads.catchingUp) seen.add('behind')
        for (const name of await run(() => names(read))) seen.add(`${name}`)
      }
      expect([...seen]).toEqual(['behind'])
      await write('~a/x app=web')
      await simulation.advance(10_000)
      const begun = simulation.clock.monotonic()
      expect(await run(() => names(read))).toEqual(['x 2'])
      expect(simulation.clock.monotonic() - begun).toBeLessThan(1)
    }))

  it('C10: that was deleted is hidden, and what has its name since then is not', () =>
    withReads({ declared: [web] }, async ({ reads, writer, run, write, simulation, read }) => {
      await write('+a/x app=web')
      await run(async () => {
        const { metadata } = (await read.get(web, keyOf('a/x'))) ?? {}
        await writer.delete(configMaps, keyOf('a/x'))
        await writer.create(configMaps, { metadata: { ...keyOf('a/x'), labels }, data: { n: 'again' } })
        await simulation.advance(1000)
        reads.writes.deleted(configMaps, keyOf('a/x'), metadata?.uid)
        expect(reads.catchingUp).toBe(false)
        expect(await names(read)).toEqual(['x again'])
        // As long as no uid is given, it is the object that is known.
        reads.writes.deleted(configMaps, keyOf('a/x'))
        expect(reads.catchingUp).toBe(true)
        const gone = names(read)
        await writer.delete(configMaps, keyOf('a/x'))
        expect(await gone).toEqual([])
      })
    }))

  it('C10: that was deleted without a uid does not hold up an informer that is read from later', () =>
    withReads({ declared: [web] }, async ({ reads, run, write, simulation, read }) => {
      reads.writes.deleted(configMaps, keyOf('a/x'))
      await write('+a/x app=web')
      const before = simulation.clock.monotonic()
      expect(await run(() => names(read))).toEqual(['x 1'])
      expect((await run(() => read.get(web, keyOf('a/x'))))?.data).toEqual({ n: '1' })
      expect(simulation.clock.monotonic() - before).toBeLessThan(1)
    }))

  it('C10: that was deleted is hidden by an informer that is read from later for no longer than by any', () =>
    withReads({ declared: [web] }, async ({ reads, run, write, writer, simulation, read }) => {
      await write('+a/x app=web')
      const { metadata } = (await run(() => writer.get(configMaps, keyOf('a/x')))) ?? {}
      reads.writes.deleted(configMaps, keyOf('a/x'), metadata?.uid)
      await simulation.advance(60_000)
      const before = simulation.clock.monotonic()
      expect(await run(() => names(read))).toEqual(['x 1'])
      expect(simulation.clock.monotonic() - before).toBeCloseTo(5000, -3)
    }))

  it('C10: is forgotten when any informer must have it, however much was written', () =>
    withReads({ declared: [configMaps, web] }, async ({ reads, run, simulation, read }) => {
      const wrote = (name: string): void =>
        reads.writes.wrote(configMaps, { metadata: { ...keyOf(`a/${name}`), labels, resourceVersion: '999999999' } })
      wrote('old')
      await simulation.advance(65_000)
      expect(await run(() => read.list(configMaps))).toEqual([])
      for (let i = 0; i < 10_000; i++) wrote(`n${i}`)
      // A second write counts from its own time.
      wrote('n0')
      wrote('last')
      await run(async () => {
        expect(await read.get(web, { name: 'old' })).toBeUndefined()
        expect(await read.get(web, { name: 'n1' })).toBeUndefined()
        const late = [read.get(web, { name: 'n0' }), read.get(web, { name: 'last' }), read.list(web)]
        expect((await Promise.allSettled(late)).map(({ status }) => status)).toEqual(late.map(() => 'rejected'))
      })
    }))

  it('C10: to objects that are not asked for is not waited for', () =>
    withReads({ declared: [web] }, async ({ reads, run, simulation, reconcile, read }) => {
      await reconcile('other', one => one.list(web, { namespace: 'a' }))
      const before = simulation.clock.monotonic()
      const resourceVersion = '999999999'
      reads.writes.wrote(configMaps, { metadata: { ...keyOf('a/none'), resourceVersion } })
      reads.writes.wrote(configMaps, { metadata: { ...keyOf('a/unknown'), labels } })
      reads.writes.wrote(configMaps, { metadata: { resourceVersion, labels } })
      reads.writes.deleted(configMaps, keyOf('a/none'))
      reads.writes.deleted(configMaps, keyOf('a/none'), 'another')
      reads.writes.wrote(configMaps, { metadata: { ...keyOf('b/x'), labels, resourceVersion } })
      expect(reads.catchingUp).toBe(false)
      await run(async () => {
        expect(await read.list(web, { namespace: 'a' })).toEqual([])
        expect(await read.get(web, keyOf('a/y'))).toBeUndefined()
      })
      expect(simulation.clock.monotonic() - before).toBeLessThan(1)
      expect(() => reads.writes.wrote(configMaps, undefined as never)).toThrow(TypeError)
    }))

  it('C10: is of one resource: a read of an object of the same name of another does not wait for it', () => {
    const ofWeb = secrets.within({ labels: 'app=web' })
    return withReads({ declared: [web, ofWeb] }, async ({ reads, run, simulation, read }) => {
      const metadata = { ...keyOf('a/x'), labels, resourceVersion: '999999999' }
      await run(async () => {
        const before = simulation.clock.monotonic()
        // Once before anybody reads ConfigMaps, and once when they are read.
        for (let times = 0; times < 2; times++) {
          reads.writes.wrote(secrets, { metadata })
          reads.writes.deleted(secrets, keyOf('a/y'), 'some-uid')
          expect([await names(read), await read.get(web, keyOf('a/x'))]).toEqual([[], undefined])
        }
        expect([simulation.clock.monotonic() - before < 1, reads.catchingUp]).toEqual([true, false])
        await expect(read.list(ofWeb)).rejects.toMatchObject({ code: 'OWN_WRITE_TIMEOUT', object: 'a/x' })
      })
    })
  })

  it('C10: by one version of its resource is waited for by reads of another', () =>
    withReads({ declared: [horizontalPodAutoscalers] }, async ({ reads, run, read }) => {
      const metadata = { ...keyOf('a/x'), resourceVersion: '999999999' }
      reads.writes.wrote(horizontalPodAutoscalersV1, { metadata })
      const reading = run(() => read.list(horizontalPodAutoscalers))
      await expect(reading).rejects.toMatchObject({ code: 'OWN_WRITE_TIMEOUT', object: 'a/x' })
    }))

  it('C10: and does not come back is an error after a while, which names it, or ends with the signal', () =>
    withReads({ declared: [web] }, async ({ reads, run, simulation, read }) => {
      await run(() => names(read))
      reads.writes.wrote(configMaps, { metadata: { ...keyOf('a/x'), labels, resourceVersion: '999999999' } })
      const giveUp = new AbortController()
      const before = simulation.clock.monotonic()
      await run(async () => {
        const aborted = read.list(web, { signal: giveUp.signal })
        giveUp.abort(new Error('enough'))
        await expect(aborted).rejects.toThrow('enough')
        await expect(read.list(web)).rejects.toMatchObject({
          code: 'OWN_WRITE_TIMEOUT',
          view: web.key,
          object: 'a/x',
        })
        await expect(read.get(web, keyOf('a/x'))).rejects.toMatchObject({ code: 'OWN_WRITE_TIMEOUT' })
      })
      expect(simulation.clock.monotonic() - before).toBeCloseTo(130_000, -3)
    }))

  it('C10: and does not come back because its watch fails is an error that says so', () =>
    withReads({ declared: [web] }, async ({ reads, run, server, simulation, read }) => {
      await run(() => names(read))
      const effect = { kind: 'status', code: 503 } as const
      await run(() => server.faults.add({ match: { resource: 'configmaps' }, effect }))
      await run(() => server.endWatches('configmaps'))
      await simulation.advance(5000)
      reads.writes.wrote(configMaps, { metadata: { ...keyOf('a/x'), labels, resourceVersion: '999999999' } })
      await expect(run(() => names(read))).rejects.toMatchObject({
        name: 'OwnWriteTimeoutError',
        code: 'OWN_WRITE_TIMEOUT',
        message: expect.stringContaining('a/x'),
        cause: { status: 503 },
      })
    }))

  it('C10: that was deleted, and never received, is waited for no longer than that', () =>
    withReads({ declared: [web] }, async ({ reads, run, write, simulation, read }) => {
      await write('+a/x app=web')
      await run(() => names(read))
      const before = simulation.clock.monotonic()
      reads.writes.deleted(configMaps, keyOf('a/x'))
      expect(await run(() => names(read))).toEqual(['x 1'])
      expect(simulation.clock.monotonic() - before).toBeCloseTo(65_000, -3)
      expect(reads.catchingUp).toBe(false)
    }))

  it('C10: to a view by other fields than those of its key is waited for where the view shows the object already', () => {
    const onNode = pods.within({ fields: 'spec.nodeName=n1,metadata.name!=other' })
    return withReads({ declared: [onNode] }, async ({ reads, run, simulation, read, writes }) => {
      const spec = { nodeName: 'n1', containers: [{ name: 'c', image: 'c' }] }
      await run(async () => {
        await writes.create(pods, { metadata: keyOf('a/x'), spec })
        expect(await read.list(onNode)).toHaveLength(1)
        await writes.patch(pods, keyOf('a/x'), { metadata: { labels } })
        expect(await read.list(onNode)).toMatchObject([{ metadata: { labels } }])
        const before = simulation.clock.monotonic()
        reads.writes.wrote(pods, { metadata: { ...keyOf('a/y'), resourceVersion: '999999999' }, spec })
        expect(await read.list(onNode)).toHaveLength(1)
        expect(simulation.clock.monotonic() - before).toBeLessThan(1)
      })
    })
  })
})

describe('what this process wrote and received in another way', () => {
  /** Informers receive each change seconds later. */
  async function delay({ run, server, simulation }: Kit, resource: string): Promise<void> {
    const effect = { kind: 'slow', bytesPerSecond: 100 } as const
    await run(() => server.faults.add({ match: { verb: 'watch', resource }, effect }))
    await run(() => server.endWatches(resource))
    await simulation.advance(5000)
  }

  it.each(['that is there already', 'that is read from for the first time'])(
    'C10: is waited for by an informer %s, in whichever order its answers come',
    which =>
      withReads({ declared: [web] }, async kit => {
        const { reads, run, write, writer, read } = kit
        await write('+a/x app=web')
        if (which === 'that is there already') await run(() => read.list(web))
        await delay(kit, 'configmaps')
        const first = await run(() => writer.patch(configMaps, keyOf('a/x'), { data: { n: 'first' } }))
        const second = await run(() => writer.patch(configMaps, keyOf('a/x'), { data: { n: 'second' } }))
        reads.writes.wrote(configMaps, second)
        reads.writes.wrote(configMaps, first)
        expect((await run(() => read.list(web))).map(({ data }) => data)).toEqual([{ n: 'second' }])
      }),
  )

  it.each<[string, (kit: Kit) => unknown, (read: Read) => Promise<unknown>]>([
    ['this process, for a list', ({ reads, client, narrow }) => client.withWriteListeners(narrow, reads.writes), names],
    ['somebody else, for a list', ({ writer }) => writer, names],
    [
      'this process, for a peek',
      ({ reads, client, narrow }) => client.withWriteListeners(narrow, reads.writes),
      peeked,
    ],
    ['somebody else, for a peek', ({ writer }) => writer, peeked],
  ])(
    'C10: hides what an informer shows that is read from later, which was deleted by %s and made again',
    (_, by, look) =>
      withReads({ declared: [web] }, async kit => {
        const { run, read, writes } = kit
        await kit.write('+a/x app=web')
        await delay(kit, 'configmaps')
        const seen = await run(async () => {
          await (by(kit) as typeof writes).delete(configMaps, keyOf('a/x'))
          await writes.create(configMaps, { metadata: { ...keyOf('a/x'), labels } })
          await writes.delete(configMaps, keyOf('a/x'))
          return look(read)
        })
        expect([seen].flat()).toEqual([])
      }),
  )

  it('C10, R13: is not waited for by an informer that is read from later where it is gone, and versions have no order', () =>
    withReads({ declared: [web] }, async ({ reads, run, simulation, read }) => {
      reads.writes.wrote(configMaps, { metadata: { ...keyOf('a/x'), labels, uid: 'u', resourceVersion: 'some' } })
      reads.writes.deleted(configMaps, keyOf('a/x'), 'u')
      const before = simulation.clock.monotonic()
      expect(await run(() => names(read))).toEqual([])
      expect(simulation.clock.monotonic() - before).toBeLessThan(1)
    }))
})

it('C10: what was received is not waited for again after the next write, in a view of two namespaces', () =>
  withReads({ declared: [twoNamespaces] }, async ({ run, simulation: { clock }, read, writes }) => {
    const seen = async (): Promise<unknown[]> => (await read.list(twoNamespaces)).map(({ data }) => data?.n)
    await run(async () => {
      expect(await seen()).toEqual([])
      const began = clock.monotonic()
      for (let round = 0; round < 3; round++) {
        await writes.create(configMaps, { metadata: keyOf('a/x'), data: { n: `${round}` } })
        expect(await seen()).toEqual([`${round}`])
        await writes.delete(configMaps, keyOf('a/x'))
        expect(await seen()).toEqual([])
      }
      // Nothing happens in the other namespace, and the watch of it comes no further until there is a bookmark.
      expect(clock.monotonic() - began).toBeLessThan(1000)
    })
  }))

it('C10: writes to resources that came and went are forgotten after a while', () =>
  withReads(async ({ simulation, cache }) => {
    const writes = new OwnWrites({ clock: simulation.clock, cache })
    const kind = (plural: string) => defineResource<ConfigMap>({ ...configMaps.resource, plural })
    const write = (plural: string, name: string): void => writes.deleted(kind(plural), keyOf(`a/${name}`), name)
    for (let i = 0; i < 100; i++) write(`kind${i}s`, 'x')
    write('kind0s', 'y')
    expect(writes.size).toBe(101)
    await simulation.advance(64_000)
    write('kind0s', 'z')
    expect(writes.size).toBe(102)
    await simulation.advance(1000)
    write('others', 'x')
    expect(writes.size).toBe(2)
    expect([...writes.of(kind('kind0s').resource)].map(([key]) => key)).toEqual(['a/z'])
  }))

describe('what one informer may not show yet', () => {
  /** The writes that are remembered for an informer of `view`, those of this process, and the number of their objects. */
  function remembered(
    { cache, simulation: { clock } }: Kit,
    view: typeof configMaps,
  ): [UnseenWrites, OwnWrites, () => number] {
    const { informer } = cache.hold(view, 'another')
    const writes = new OwnWrites({ clock, cache })
    const unseen = new UnseenWrites(informer, clock, writes)
    const count = (): number => {
      let keys = 0
      unseen.lacking(() => {
        keys += 1
        return false
      })
      return keys
    }
    return [unseen, writes, count]
  }
  const uidOf = async ({ run, writer }: Kit): Promise<string | undefined> =>
    (await run(() => writer.get(configMaps, keyOf('a/x'))))?.metadata?.uid

  it('C10: is what was deleted, until it is gone', () =>
    withReads({ declared: [web] }, async kit => {
      const [unseen, writes, count] = remembered(kit, web)
      await kit.write('+a/x app=web')
      writes.deleted(web, keyOf('a/x'), await uidOf(kit))
      expect([unseen.lacking('a/x'), count()]).toEqual(['a/x', 1])
      await kit.write('-a/x')
      expect([unseen.lacking('a/x'), count()]).toEqual([undefined, 0])
    }))

  it('C10: is forgotten after a while if it is not selected and never received, though nobody asks', () =>
    withReads({ declared: [web] }, async kit => {
      const [, writes, count] = remembered(kit, web)
      const write = (name: string): void =>
        writes.wrote(web, { metadata: { ...keyOf(`a/${name}`), uid: name, resourceVersion: '999999999' } })
      for (let i = 0; i < 100; i++) write(`n${i}`)
      expect(count()).toBe(100)
      await kit.simulation.advance(65_000)
      write('last')
      expect(count()).toBe(1)
    }))

  it('C10: is not forgotten while the informer has not come to it', () =>
    withReads({ declared: [web] }, async kit => {
      const [unseen, writes, count] = remembered(kit, web)
      writes.wrote(web, { metadata: { ...keyOf('a/x'), labels, uid: 'u', resourceVersion: '999999999' } })
      for (let minutes = 0; minutes < 5; minutes++) {
        await kit.simulation.advance(65_000)
        writes.deleted(web, keyOf('a/y'), `u${minutes}`)
      }
      expect([count(), unseen.lacking('a/x')]).toEqual([1, 'a/x'])
    }))
})
