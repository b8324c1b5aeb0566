import type { WriteListener } from '@wherry/client'
import { type ConfigMap, configMaps, pods, secrets } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { NarrowCache } from './narrow-cache.ts'
import { keyOf, noting, withNarrow } from './testkit/kit.ts'

/** An object that its own watch feeds is listed again, and then watched again. */
const listed = ['list fieldSelector=metadata.name=x', expect.stringMatching(/^watch fieldSelector=metadata.name=x rv=/)]

describe('a read after a write of one’s own', () => {
  it('N9: is at least as new, whatever the watch still has to bring, and waits no longer than for that', () =>
    withNarrow(async ({ narrow, client, run, get, simulation }) => {
      const writes = client.withWriteListeners(narrow)
      const key = keyOf('a/x')
      expect(await get('a/x')).toBeUndefined()
      const begun = simulation.clock.monotonic()
      const seen = await run(async () => {
        const read = async () => (await narrow.get(configMaps, key))?.data?.n
        const all: (string | undefined)[] = []
        await writes.create(configMaps, { metadata: key, data: { n: '1' } })
        all.push(await read())
        await writes.patch(configMaps, key, { data: { n: '2' } })
        all.push(await read())
        const held = await narrow.get(configMaps, key)
        await writes.update(configMaps, { ...held, data: { n: '3' } })
        all.push(await read())
        await writes.apply(configMaps, { metadata: key, data: { m: '4' } })
        all.push((await narrow.get(configMaps, key))?.data?.m)
        await writes.delete(configMaps, key)
        all.push(await read())
        await writes.create(configMaps, { metadata: key, data: { n: '5' } })
        await writes.delete(configMaps, key)
        await writes.create(configMaps, { metadata: key, data: { n: '6' } })
        all.push(await read())
        return all
      })
      expect(seen).toEqual(['1', '2', '3', '4', undefined, '6'])
      expect(simulation.clock.monotonic() - begun).toBeLessThan(5000)
    }))

  it('N9: holds in every cache of the process, and in each view of the object', () =>
    withNarrow(async ({ narrow, client, run }) => {
      const other = new NarrowCache({ client })
      const writes = client.withWriteListeners(narrow, other)
      const size = configMaps.project('size', ({ data }) => Object.keys(data ?? {}).length)
      const labelled = configMaps.within({ labels: { app: 'x' } })
      const key = keyOf('a/x')
      const reads = () =>
        Promise.all([
          narrow.get(size, key),
          other.get(configMaps, key).then(object => object?.data?.n),
          other.get(labelled, key).then(object => object?.data?.n),
        ])
      expect(await run(reads)).toEqual([undefined, undefined, undefined])
      await run(async () => {
        expect(await writes.patch(size, key, { data: { n: '1' } }).catch(() => 'none')).toBe('none')
        await writes.create(configMaps, { metadata: { ...key, labels: { app: 'x' } }, data: { n: '1' } })
        expect(await reads()).toEqual([1, '1', '1'])
        expect(await writes.patch(size, key, { data: { m: '2' } })).toBe(2)
        expect(await reads()).toEqual([2, '1', '1'])
        await writes.patch(configMaps.metadata(), key, { metadata: { labels: { app: 'y' } } })
        expect(await reads()).toEqual([2, '1', undefined])
        // Neither the answer nor the stored state is in its scope: nothing will come.
        await writes.patch(configMaps, key, { data: { n: '3' } })
        expect(await reads()).toEqual([2, '3', undefined])
        await other.close()
      })
    }))

  it('N9: a write that changes nothing, and a dry run, wait for nothing', () =>
    withNarrow(async ({ narrow, client, run, write, get, requests }) => {
      const writes = client.withWriteListeners(narrow)
      await write('+a/x')
      await get('a/x')
      await run(async () => {
        await writes.patch(configMaps, keyOf('a/x'), { data: { n: '1' } })
        requests()
        expect(narrow.peek(configMaps, keyOf('a/x'))?.object?.data).toEqual({ n: '1' })
        await writes.patch(configMaps, keyOf('a/x'), { data: { n: '2' } }, { dryRun: true })
        expect(narrow.peek(configMaps, keyOf('a/x'))?.object?.data).toEqual({ n: '1' })
        await writes.delete(configMaps, keyOf('a/x'), { dryRun: true })
        expect(narrow.peek(configMaps, keyOf('a/x'))?.object?.data).toEqual({ n: '1' })
      })
      expect(requests()).toEqual([])
    }))

  it('N9: a write of another object, or of one that stays out of the selector, is waited for by nobody', () =>
    withNarrow(async ({ narrow, write, writer, run, get }) => {
      await write('+a/x')
      const view = configMaps.within({ labels: { app: 'x' } })
      expect((await get('a/x'))?.data).toEqual({ n: '1' })
      expect(await get('a/x', view)).toBeUndefined()
      narrow.wrote(secrets, await run(() => writer.create(secrets, { metadata: keyOf('a/x') })))
      narrow.wrote(configMaps, await run(() => writer.create(configMaps, { metadata: keyOf('b/x') })))
      narrow.wrote(configMaps, {})
      expect(narrow.peek(configMaps, keyOf('a/x'))?.object?.data).toEqual({ n: '1' })
      narrow.wrote(configMaps, await run(() => writer.patch(configMaps, keyOf('a/x'), { data: { n: '2' } })))
      expect(narrow.peek(view, keyOf('a/x'))).toEqual({ object: undefined })
      narrow.deleted(secrets, keyOf('a/x'))
      expect((await get('a/x'))?.data).toEqual({ n: '2' })
    }))

  it('N9: a delete that finalizers hold back is an update; the write that lets it go is a delete', () =>
    withNarrow(async ({ narrow, client, run, get }) => {
      const writes = client.withWriteListeners(narrow)
      const key = keyOf('a/x')
      await get('a/x')
      await run(async () => {
        await writes.create(configMaps, { metadata: { ...key, finalizers: ['example.com/x'] } })
        await writes.delete(configMaps, key)
        expect((await narrow.get(configMaps, key))?.metadata?.deletionTimestamp).toBeDefined()
        await writes.patch(configMaps, key, { metadata: { finalizers: null } })
        expect(await narrow.get(configMaps, key)).toBeUndefined()
        expect(await writes.delete(configMaps, key)).toBeUndefined()
        expect(await narrow.get(configMaps, key)).toBeUndefined()
      })
    }))

  it('N9: delivers no earlier state of an object once it was written out of the selector', () =>
    withNarrow(async ({ narrow, client, run, write, simulation, server }) => {
      const view = configMaps.within({ labels: { app: 'x' } })
      const writes = client.withWriteListeners(narrow)
      const log: string[] = []
      await run(() => narrow.watch(view, keyOf('a/x'), noting(log)))
      const effect = { kind: 'status', code: 503 } as const
      const late = await run(() => server.faults.add({ match: { verb: 'watch' }, effect }))
      await run(() => server.endWatches('configmaps'))
      await write('+a/x app=x')
      await run(() => writes.patch(configMaps, keyOf('a/x'), { metadata: { labels: { app: 'y' } } }))
      expect(await run(() => narrow.get(view, keyOf('a/x')))).toBeUndefined()
      await run(() => late.remove())
      await simulation.advance(60_000)
      expect(log).toEqual(['0a/x'])
    }))

  it('N9: what the watch does not come to is waited for no longer than half of timeoutMs, and the server asked then', () =>
    withNarrow(
      async ({ narrow, run, write, get, simulation, requests }) => {
        await write('+a/x')
        const held = await get('a/x')
        // The watch will not come to that.
        const resourceVersion = `${held?.metadata?.resourceVersion}0`
        narrow.wrote(configMaps, { ...held, metadata: { ...held?.metadata, resourceVersion } })
        requests()
        const begun = simulation.clock.now()
        expect(narrow.peek(configMaps, keyOf('a/x'))).toBeUndefined()
        expect((await get('a/x'))?.data).toEqual({ n: '1' })
        expect(simulation.clock.now() - begun).toBeGreaterThanOrEqual(1000)
        expect(simulation.clock.now() - begun).toBeLessThan(1500)
        expect(requests()).toEqual(listed)
        const stop = AbortSignal.abort(new Error('enough'))
        await expect(run(() => narrow.get(configMaps, keyOf('a/x'), { signal: stop }))).rejects.toThrow('enough')
      },
      { timeoutMs: 2000 },
    ))

  it.each([1, 10])('N9: a write that the watch does not bring within 5 s is listed (escalateAt %i)', escalateAt =>
    withNarrow(
      async ({ narrow, run, write, writer, get, simulation, requests }) => {
        await write('+a/x')
        const held = await get('a/x')
        await get('a/y')
        await simulation.advance(1000)
        const other = await run(() => writer.create(configMaps, { metadata: keyOf('b/other') }))
        // No event of the object will come that has this version.
        const { resourceVersion } = other.metadata ?? {}
        narrow.wrote(configMaps, { ...held, metadata: { ...held?.metadata, resourceVersion } })
        requests()
        const begun = simulation.clock.monotonic()
        expect((await get('a/x'))?.data).toEqual({ n: '1' })
        expect(simulation.clock.monotonic() - begun).toBeLessThan(5100)
        expect(requests()).toEqual(escalateAt === 1 ? listed.slice(0, 1) : listed)
      },
      { escalateAt },
    ),
  )

  it('N9: the server’s answer is kept and delivered, and nothing that the watch brings from before it', () =>
    withNarrow(
      async ({ narrow, run, write, writer, get, simulation, server, requests }) => {
        const log: string[] = []
        await run(() => narrow.watch(configMaps, keyOf('a/x'), noting(log)))
        // The watch is late.
        const effect = { kind: 'status', code: 503 } as const
        const late = await run(() => server.faults.add({ match: { verb: 'watch' }, effect }))
        await run(() => server.endWatches('configmaps'))
        const made = await run(() => writer.create(configMaps, { metadata: keyOf('a/x'), data: { n: 'short-lived' } }))
        await write('-a/x')
        narrow.wrote(configMaps, made)
        expect(await get('a/x')).toBeUndefined()
        requests()
        expect(await get('a/x')).toBeUndefined()
        expect(requests().filter(request => request.startsWith('list'))).toEqual([])
        await write('+a/x')
        narrow.wrote(configMaps, await run(() => writer.patch(configMaps, keyOf('a/x'), { data: { n: 'kept' } })))
        expect((await get('a/x'))?.data).toEqual({ n: 'kept' })
        expect(log).toEqual(['0a/x', '+a/x kept'])
        await run(() => late.remove())
        await simulation.advance(60_000)
        await write('~a/x')
        expect(log).toEqual(['0a/x', '+a/x kept', '~a/x kept→3'])
      },
      { timeoutMs: 2000 },
    ))

  it('N9: recognises a deletion that another object has outlived by asking the server', () =>
    withNarrow(async ({ narrow, run, write, get, requests }) => {
      await write('+a/x')
      const first = await get('a/x')
      narrow.deleted(configMaps, keyOf('a/x'), 'another-uid')
      requests()
      expect((await get('a/x'))?.metadata?.uid).toBe(first?.metadata?.uid)
      expect(requests()).toEqual(listed)
      expect((await get('a/x'))?.metadata?.uid).toBe(first?.metadata?.uid)
      expect(requests()).toEqual([])
      narrow.deleted(configMaps, keyOf('a/x'))
      await Promise.all([get('a/x'), write('-a/x')])
      expect(await run(() => narrow.get(configMaps, keyOf('a/x')))).toBeUndefined()
    }))

  it('N6, N9: a subscription receives what the server has, if the kept state may be older than what this process knows', () =>
    withNarrow(async ({ narrow, client, run, write, get, simulation, server }) => {
      const writes = client.withWriteListeners(narrow)
      await write('+a/x')
      await get('a/x')
      const effect = { kind: 'status', code: 503 } as const
      const late = await run(() => server.faults.add({ match: { verb: 'watch' }, effect }))
      await run(() => server.endWatches('configmaps'))
      await write('-a/x')
      await run(() => writes.create(configMaps, { metadata: keyOf('a/x'), data: { n: 'short-lived' } }))
      await run(() => writes.delete(configMaps, keyOf('a/x')))
      const log: string[] = []
      await run(() => narrow.watch(configMaps, keyOf('a/x'), noting(log)))
      expect(log).toEqual(['0a/x'])
      await run(() => late.remove())
      await simulation.advance(60_000)
      expect(log).toEqual(['0a/x'])
    }))

  it('N6, N9: a subscription is refused if the server can’t be asked, and receives nothing that may be older', () =>
    withNarrow(async ({ narrow, run, write, get, simulation, server }) => {
      await write('+a/x')
      await get('a/x')
      const effect = { kind: 'status', code: 503 } as const
      await run(() => server.faults.add({ match: { verb: 'watch' }, effect }))
      const deaf = await run(() => server.faults.add({ match: { verb: 'list' }, effect }))
      await run(() => server.endWatches('configmaps'))
      await write('~a/x')
      narrow.deleted(configMaps, keyOf('a/x'), 'another-uid')
      const log: string[] = []
      const watch = () => run(() => narrow.watch(configMaps, keyOf('a/x'), noting(log)))
      await expect(watch()).rejects.toMatchObject({ status: 503 })
      await simulation.advance(100_000)
      await expect(watch()).rejects.toMatchObject({ status: 503 })
      expect(log).toEqual([])
      await run(() => deaf.remove())
      await simulation.advance(60_000)
      await watch()
      expect(log).toEqual(['+a/x 2 first'])
      // A later read then ends with its signal.
      await run(() => server.faults.add({ match: { verb: 'list' }, effect: { kind: 'hang' } }))
      narrow.deleted(configMaps, keyOf('a/x'), 'a-third-uid')
      const giveUp = new AbortController()
      const third = narrow.watch(configMaps, keyOf('a/x'), noting(log), { signal: giveUp.signal })
      const ended = expect(third).rejects.toThrow('enough')
      await simulation.advance(5000)
      giveUp.abort(new Error('enough'))
      await ended
      const closed = expect(narrow.watch(configMaps, keyOf('a/x'), noting(log))).rejects.toMatchObject({
        code: 'NARROW_CLOSED',
      })
      await simulation.advance(5000)
      await run(() => narrow.close())
      await closed
    }))

  it('N9: a deletion that the watch brought first waits for nothing', () =>
    withNarrow(async ({ narrow, write, get, requests, simulation }) => {
      await write('+a/x')
      const uid = (await get('a/x'))?.metadata?.uid
      await write('-a/x')
      requests()
      const begun = simulation.clock.monotonic()
      narrow.deleted(configMaps, keyOf('a/x'), uid)
      expect(await get('a/x')).toBeUndefined()
      expect(simulation.clock.monotonic()).toBe(begun)
      expect(requests()).toEqual([])
    }))

  it('N9: a deletion that is reported while the entry is being opened is not overtaken by an earlier state', () =>
    withNarrow(async ({ narrow, run, write, requests, writer }) => {
      await write('+a/x')
      await run(async () => {
        const opening = narrow.get(configMaps, keyOf('a/x'))
        await writer.delete(configMaps, keyOf('a/x'))
        narrow.deleted(configMaps, keyOf('a/x'))
        await opening
        expect(await narrow.get(configMaps, keyOf('a/x'))).toBeUndefined()
      })
      requests()
      await run(() => narrow.forget(configMaps, keyOf('a/x')))
      await write('+a/x')
      await run(async () => {
        const opening = narrow.get(configMaps, keyOf('a/x'))
        narrow.deleted(configMaps, keyOf('a/x'))
        expect(await opening).toBeDefined()
      })
      expect(requests()).toEqual(['stream fieldSelector=metadata.name=x', ...listed])
      expect(await run(() => narrow.get(configMaps, keyOf('a/x')))).toBeDefined()
      expect(requests()).toEqual([])
    }))

  it('N9: a watch that begins before what was asked for meanwhile takes nothing back', () =>
    withNarrow(async ({ narrow, run, write, writer, get, simulation, server }) => {
      await write('+a/x')
      const effect = { kind: 'slow', bytesPerSecond: 200 } as const
      const slow = await run(() => server.faults.add({ match: { verb: 'watch' }, effect }))
      await run(async () => {
        const opening = narrow.get(configMaps, keyOf('a/x'))
        await simulation.advance(100)
        await writer.patch(configMaps, keyOf('a/x'), { data: { n: 'asked for' } })
        narrow.deleted(configMaps, keyOf('a/x'))
        expect((await narrow.get(configMaps, keyOf('a/x')))?.data).toEqual({ n: 'asked for' })
        await opening
      })
      await run(() => slow.remove())
      await write('~a/x')
      for (let minute = 0; minute < 4; minute++) {
        await simulation.advance(60_000)
        expect((await get('a/x'))?.data).toEqual({ n: '2' })
      }
    }))

  it('N2, N9: a state that is asked for while a wider watch is being opened does not pass for what that will bring', () =>
    withNarrow(async ({ narrow, run, write, simulation, server }) => {
      const [key, heads] = [keyOf('a/x'), configMaps.metadata()]
      await write('+a/x')
      await run(() => narrow.get(heads, key))
      const effect = { kind: 'hang', afterBytes: 0 } as const
      const hanging = await run(() => server.faults.add({ match: { verb: 'watch' }, effect }))
      const opening = run(() => narrow.get(configMaps, key))
      await write('+b/other')
      narrow.deleted(configMaps, key, 'another-uid')
      expect(await run(() => narrow.get(heads, key))).toBeDefined()
      await write('~a/x')
      expect(narrow.peek(configMaps, key)).toBeUndefined()
      await run(() => hanging.remove())
      await run(() => server.endWatches('configmaps'))
      await simulation.advance(60_000)
      expect((await opening)?.data).toEqual({ n: '3' })
    }))

  it('N9: a write out of the selector that is reported while the entry is being opened waits for no event', () =>
    withNarrow(async ({ narrow, run, write, writer, simulation }) => {
      await write('+a/x')
      const view = configMaps.within({ labels: { app: 'x' } })
      const begun = simulation.clock.now()
      await run(async () => {
        const opening = narrow.get(view, keyOf('a/x'))
        narrow.wrote(configMaps, await writer.patch(configMaps, keyOf('a/x'), { data: { n: '2' } }))
        expect(await opening).toBeUndefined()
        expect(await narrow.get(view, keyOf('a/x'))).toBeUndefined()
      })
      expect(simulation.clock.now() - begun).toBeLessThan(1000)
    }))

  it('N9: holds while the entries are escalated', () =>
    withNarrow(
      async ({ narrow, client, run, get, simulation }) => {
        const writes = client.withWriteListeners(narrow)
        await get('a/x')
        await get('a/y')
        await simulation.advance(1000)
        await run(async () => {
          for (let n = 1; n < 20; n++) {
            const data = { n: `${n}` }
            if (n % 5 === 0) await writes.delete(configMaps, keyOf('a/x'))
            else if (n % 5 === 1) await writes.create(configMaps, { metadata: keyOf('a/x'), data })
            else await writes.patch(configMaps, keyOf('a/x'), { data })
            expect((await narrow.get(configMaps, keyOf('a/x')))?.data?.n).toBe(n % 5 === 0 ? undefined : `${n}`)
          }
        })
      },
      { escalateAt: 1 },
    ))

  it('N9: every cache receives each write but dry runs, and the writer gets what the view makes of the answer', () =>
    withNarrow(async ({ client, run }) => {
      const reported: unknown[] = []
      const cache: WriteListener = {
        wrote: ({ key }, answer) =>
          reported.push([key, (answer as ConfigMap).metadata?.name, (answer as ConfigMap).data?.n]),
        deleted: ({ key }, { name }, uid) => reported.push([key, name, uid === undefined ? 'whatever' : 'gone']),
      }
      const writes = client.withWriteListeners(cache)
      const letter = configMaps.project('n', ({ data }) => `n${data?.n}`)
      const [key, dryRun] = [keyOf('a/x'), true] as const
      await run(async () => {
        const made = { metadata: { ...key, finalizers: ['example.com/x'] }, data: { n: '1' } }
        await writes.create(configMaps, made, { dryRun })
        await writes.create(configMaps, made)
        expect(await writes.patch(letter, key, { data: { n: '2' } }, { dryRun })).toBe('n2')
        expect(await writes.patch(letter, key, { data: { n: '2' } })).toBe('n2')
        expect(await writes.delete(letter, key, { dryRun })).toMatchObject({ object: 'n2' })
        expect(reported.splice(0)).toEqual([
          [configMaps.key, 'x', '1'],
          [letter.key, 'x', '2'],
        ])
        // Its finalizer holds it back.
        expect(await writes.delete(letter, key)).toEqual({ uid: expect.any(String), object: 'n2' })
        await writes.patch(configMaps, key, { metadata: { finalizers: null } })
        expect(reported.splice(0)).toEqual([
          [letter.key, 'x', '2'],
          [configMaps.key, 'x', '2'],
        ])
        expect(await writes.delete(letter, key)).toBeUndefined()
        await writes.create(configMaps, { metadata: key })
        expect(await writes.delete(letter, key, { dryRun })).toMatchObject({ object: undefined })
        expect(await writes.delete(letter, key)).toEqual({ uid: expect.any(String), object: undefined })
        expect(reported).toEqual([
          [letter.key, 'x', 'whatever'],
          [configMaps.key, 'x', undefined],
          [letter.key, 'x', 'gone'],
        ])
      })
    }))

  it('N9: a list that was begun after a doubtful write settles it, whatever is delivered while it is under way', () =>
    withNarrow(async ({ narrow, run, write, writer, get, requests, simulation, server }) => {
      const key = keyOf('a/x')
      await write('+a/x')
      await get('a/x')
      const late = await run(() => writer.patch(configMaps, key, { data: { n: '10' } }))
      await write('~a/x')
      // The watch has come past that: only a list brings it.
      narrow.wrote(configMaps, late)
      await run(() => server.faults.add({ match: { verb: 'list' }, effect: { kind: 'delay', ms: 1000 } }))
      const now = (await run(() => writer.get(configMaps, key))) as ConfigMap
      const reading = get('a/x')
      await simulation.advance(300)
      // A write that changed nothing, as an apply of the present state.
      narrow.wrote(configMaps, now)
      await reading
      await simulation.advance(500)
      requests()
      expect(narrow.peek(configMaps, key)).toBeDefined()
      await get('a/x')
      expect(requests()).toEqual([])
    }))

  it('X6: takes answers that are objects', () =>
    withNarrow(async ({ narrow }) => {
      const refused = expect.objectContaining({ code: 'INVALID_OPTION' })
      expect(() => narrow.wrote(pods, undefined as never)).toThrow(refused)
      narrow.wrote(pods, {})
    }))
})
