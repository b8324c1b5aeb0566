import { configMaps, pods } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { allowing, type Kit, keyOf, withReads } from './testkit/kit.ts'
import { TrackedReads } from './tracked-reads.ts'

describe('catching up', () => {
  /** The next object that is made on the server, as it will be. */
  const next = async ({ writer }: Kit): Promise<object> => {
    const { metadata } = await writer.create(configMaps, { metadata: { generateName: 'z', namespace: 'b' } })
    return { metadata: { ...keyOf('a/x'), resourceVersion: `${Number(metadata?.resourceVersion) + 1}` } }
  }

  it('is what has changed and was not received yet, and can be waited for', () =>
    withReads(async kit => {
      const { reading, reads, narrow, writer, run, log } = kit
      await reading('k', 'a/x')
      expect(reads.catchingUp).toBe(false)
      await run(async () => {
        narrow.wrote(configMaps, await next(kit))
        expect([reads.catchingUp, log]).toEqual([true, []])
        const ended = new AbortController()
        ended.abort(new Error('enough'))
        await expect(reads.whenQuiet(ended.signal)).rejects.toThrow('enough')
        const quiet = reads.whenQuiet().then(() => log.push('quiet'))
        await writer.create(configMaps, { metadata: keyOf('a/x') })
        await quiet
        expect([reads.catchingUp, log]).toEqual([false, ['k: +a/x', 'quiet']])
      })
    }))

  it('asks the server if the watch can not say, and does not wait for objects that can not be read at all', () =>
    withReads(async ({ client, cache, run }) => {
      let asked = 0
      // As a narrow cache of a view with field selectors that only the server can check.
      const narrow = {
        peek: () => undefined,
        watch: async () => ({ key: 'a/x', close: async () => {} }),
        get: async () => {
          asked += 1
          if (asked > 1) throw new Error('not now')
          return undefined
        },
        part: () => undefined,
        report: () => ({ escalated: [] }),
      }
      const reads = new TrackedReads({ client, cache, narrow: narrow as never, declared: [], onChange() {} })
      await run(async () => {
        const one = reads.begin('k', { namespace: 'a' })
        await one.read.get(pods, { name: 'x' })
        one.succeed()
        expect([reads.catchingUp, asked]).toEqual([true, 1])
        await reads.whenQuiet()
        expect(asked).toBe(2)
        await reads.close()
      })
    }))

  it('is compared with what the server has, which hides nothing that was made since', () =>
    withReads(async ({ reading, reads, writer, server, run, log, write }) => {
      await write('+a/x')
      await reading('k', 'a/x', 'a/none')
      await run(async () => {
        await writer.delete(configMaps, keyOf('a/x'))
        // The answer that it is gone comes when it is there again.
        await server.faults.add({ match: { verb: 'get' }, effect: { kind: 'delay', ms: 5000 } })
        const compared = reads.compare().then(() => log.push('compared'))
        await writer.create(configMaps, { metadata: keyOf('a/x'), data: { n: 'again' } })
        await compared
      })
      expect([reads.catchingUp, log]).toEqual([false, ['k: -a/x', 'k: +a/x', 'compared']])
      expect(await reading('k', 'a/x')).toEqual(['again'])
    }))

  it.each(['~a/x', '-a/x', '+a/none'])(
    'is compared with what the server has, and what a watch is late with waited for: %s',
    change =>
      withReads(async ({ reading, reads, write, run, server, taken, log }) => {
        await write('+a/x')
        await reading('k', 'a/x', 'a/none')
        const effect = { kind: 'status', code: 503 } as const
        const late = await run(() => server.faults.add({ match: { verb: 'watch' }, effect }))
        await run(() => server.endWatches('configmaps'))
        await taken()
        await write(change)
        expect([reads.catchingUp, await taken()]).toEqual([false, []])
        await run(async () => {
          const compared = reads.compare().then(() => log.push('compared'))
          await late.remove()
          await compared
        })
        expect(log).toEqual([`k: ${change}`, 'compared'])
      }),
  )

  it.each(['~a/x', '-a/x', '+a/none'])(
    'A7: is compared with what the server has, also while a watch is refused, until that change is received: %s',
    change =>
      withReads(async ({ reading, reads, write, run, server, log, simulation }) => {
        await write('+a/x')
        await reading('k', 'a/x', 'a/none')
        const effect = { kind: 'status', code: 403, reason: 'Forbidden' } as const
        const refused = await run(() => server.faults.add({ match: { verb: 'watch' }, effect }))
        await run(() => server.endWatches('configmaps'))
        await simulation.advance(1000)
        await write(change)
        await run(() => reads.compare())
        expect([reads.catchingUp, log]).toEqual([true, []])
        await run(() => refused.remove())
        await simulation.advance(600_000)
        await run(() => reads.compare())
        expect([reads.catchingUp, log]).toEqual([false, [`k: ${change}`]])
      }),
  )

  it('is not compared where the server may not be asked; what else it says, or the signal, ends the comparison', () => {
    let isReadable = true
    const cluster = allowing(verb => verb !== 'get' || isReadable)
    return withReads({ cluster }, async ({ reading, reads, run, server }) => {
      await reading('k', 'a/x')
      isReadable = false
      await run(() => reads.compare())
      isReadable = true
      const fails = await run(() =>
        server.faults.add({ match: { verb: 'get' }, effect: { kind: 'status', code: 400 } }),
      )
      await run(() => expect(reads.compare()).rejects.toMatchObject({ status: 400 }))
      await run(() => fails.remove())
      await run(() => server.faults.add({ match: { verb: 'get' }, effect: { kind: 'hang' } }))
      const stop = new AbortController()
      const compared = reads.compare(stop.signal)
      await run(async () => {
        stop.abort(new Error('enough'))
        await expect(compared).rejects.toThrow('enough')
      })
    })
  })

  it('is compared of many objects with one request for each', () =>
    withReads(async ({ reading, reads, run, asked, taken }) => {
      await reading('k', ...Array.from({ length: 40 }, (_, i) => `a/x${i}`))
      await taken()
      asked.splice(0)
      await run(() => reads.compare())
      expect(asked).toHaveLength(40)
    }))

  it('is compared only for objects that are watched by their names, one by one', () => {
    const listed = configMaps.within({ namespaces: ['b'] })
    return withReads({ declared: [listed] }, async ({ reading, reads, run, asked, taken }) => {
      await reading('k', 'a/x', 'a/y')
      const one = reads.begin('l', { namespace: 'b' })
      await run(() => one.read.get(listed, { name: 'x' }))
      one.succeed()
      await taken()
      asked.splice(0)
      await run(() => reads.compare())
      expect(asked).toEqual(['list', 'list'])
    })
  })

  it('is an object that an informer serves, and that lacks what was written', () =>
    withReads({ declared: [configMaps] }, async kit => {
      const { reading, reads, writer, run } = kit
      await reading('k', 'a/x', 'a/y')
      expect(reads.catchingUp).toBe(false)
      await run(async () => {
        reads.writes.wrote(configMaps, await next(kit))
        expect(reads.catchingUp).toBe(true)
        await writer.create(configMaps, { metadata: keyOf('a/x') })
        await reads.whenQuiet()
        expect(reads.catchingUp).toBe(false)
      })
    }))

  it('is a list that lacks what was written', () =>
    withReads({ declared: [configMaps] }, async kit => {
      const { reconcile, reads, writer, run, log } = kit
      await reconcile('k', read => read.list(configMaps, { namespace: 'a' }))
      await run(async () => {
        reads.writes.wrote(configMaps, await next(kit))
        expect([reads.catchingUp, log]).toEqual([true, []])
        const quiet = reads.whenQuiet().then(() => log.push('quiet'))
        await writer.create(configMaps, { metadata: keyOf('a/x') })
        await quiet
        expect([reads.catchingUp, log]).toEqual([false, ['k: +a/x', 'quiet']])
      })
    }))
})
