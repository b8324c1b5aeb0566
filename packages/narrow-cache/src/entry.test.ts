import type { KubernetesObject, View } from '@wherry/client'
import { configMaps, pods } from '@wherry/client/resources/core'
import { simulatedCluster } from '@wherry/informer/testkit/served'
import { describe, expect, it, vi } from 'vitest'
import { Entry, type Waiting } from './entry.ts'
import { checkedKey } from './key.ts'
import { Kind } from './kind.ts'
import { NarrowView } from './narrow-view.ts'
import { settingsOf } from './options.ts'
import { Shared } from './shared.ts'
import { openSource } from './source.ts'
import type { Asked } from './state.ts'

/** An entry that is fed by what the test says the server has, and nothing else. */
async function withEntry(view: View, test: (kit: EntryKit) => void): Promise<void> {
  const cluster = await simulatedCluster(1)
  const shared = new Shared(settingsOf({ client: cluster.client }))
  const entry = new Entry(new Kind(view, shared).bucket('a'), checkedKey(view, { namespace: 'a', name: 'x' }))
  const narrow = new NarrowView(view, shared.environment, undefined)
  entry.join(narrow)
  vi.spyOn(entry.feeding, 'isFed', 'get').mockReturnValue(true)
  try {
    test({
      entry,
      readiness: () => entry.readiness(narrow),
      has: (resourceVersion, object, asked = entry.feeding.asked()) =>
        entry.feeding.learned({ object, bytes: 0, resourceVersion }, narrow.level, asked),
      held: () => narrow.store.lister.get('a/x') as KubernetesObject | undefined,
    })
  } finally {
    entry.close()
    narrow.close()
    await shared.close()
    await cluster.close()
  }
}

interface EntryKit {
  readonly entry: Entry
  readiness(): string
  /** The server answers this, with that resourceVersion. Gives whether what is kept is as new. */
  has(resourceVersion: string, object?: KubernetesObject, asked?: Asked): boolean
  held(): KubernetesObject | undefined
}

const made = (resourceVersion: string, app?: string, uid = 'one'): KubernetesObject => {
  const labels = app === undefined ? undefined : { app }
  return { metadata: { name: 'x', namespace: 'a', uid, resourceVersion, labels } }
}

class Noted implements Waiting {
  readonly heard: string[] = []
  news(): void {
    this.heard.push('news')
  }
  over(): void {
    this.heard.push('over')
  }
}

describe('an entry', () => {
  it('N2: tells all who wait of news and of its end, and nobody who does not wait any more', () =>
    withEntry(configMaps, ({ entry, has }) => {
      const [stays, leaves, late] = [new Noted(), new Noted(), new Noted()]
      entry.follow(stays)
      entry.follow(leaves)
      has('1')
      entry.unfollow(leaves)
      entry.follow(late)
      has('2')
      entry.unfollow(late)
      entry.close()
      expect([stays.heard, leaves.heard, late.heard]).toEqual([['news', 'news', 'over'], ['news'], ['news']])
    }))

  it('N2: lets those who wait leave while they are told', () =>
    withEntry(configMaps, ({ entry, has }) => {
      const heard: string[] = []
      for (const name of ['a', 'b', 'c']) {
        const one: Waiting = {
          news: () => {
            heard.push(name)
            entry.unfollow(one)
          },
          over: () => heard.push('over'),
        }
        entry.follow(one)
      }
      has('1')
      has('2')
      entry.close()
      expect(heard).toEqual(['a', 'b', 'c'])
    }))

  it('N9: waits for what was written, where the view selects it or has it', () =>
    withEntry(configMaps.within({ labels: { app: 'x' } }), ({ entry, readiness, has }) => {
      has('10')
      entry.saw(made('20', 'y'))
      expect(readiness()).toBe('cached')
      entry.saw(made('20', 'x'))
      expect(readiness()).toBe('wait')
      has('20', made('20', 'x'))
      expect(readiness()).toBe('cached')
      // It leaves the selector, of which the watch tells.
      entry.saw(made('30', 'y'))
      expect(readiness()).toBe('wait')
      has('30')
      expect(readiness()).toBe('cached')
    }))

  it('N9: is told to who waits for it that the server does not have it any more', () =>
    withEntry(configMaps, ({ entry, readiness, has }) => {
      has('10', made('10'))
      entry.saw(made('20'))
      expect(readiness()).toBe('wait')
      const waits = new Noted()
      entry.follow(waits)
      has('10', made('10'))
      expect([waits.heard, readiness()]).toEqual([['news'], 'cached'])
    }))

  it('N9: waits for what was written while what is fetched is not as far yet as the watch of many', () =>
    withEntry(configMaps, ({ entry, readiness, has }) => {
      has('10', made('10'))
      vi.spyOn(entry.feeding, 'isStale', 'get').mockReturnValue(true)
      vi.spyOn(entry.feeding, 'reached', 'get').mockReturnValue('30')
      entry.saw(made('20'))
      expect(readiness()).toBe('wait')
    }))

  it('N9: asks the server for what was written before there was a first state, where no event of it need come', () =>
    withEntry(configMaps.within({ labels: { app: 'x' } }), ({ entry, readiness, has }) => {
      const before = entry.feeding.asked()
      entry.saw(made('20', 'y'))
      has('10', undefined, before)
      expect(readiness()).toBe('live')
      has('20')
      expect(readiness()).toBe('cached')
    }))

  it('N9: asks the server for what was written where fields decide that only the server knows', () =>
    withEntry(pods.within({ fields: 'status.phase=Running' }), ({ entry, readiness, has }) => {
      has('10')
      entry.saw(made('20'))
      expect(readiness()).toBe('live')
      has('20', made('20'))
      entry.saw(made('30'))
      expect(readiness()).toBe('wait')
    }))

  it('N9: waits for what was written where fields of the metadata decide', () =>
    withEntry(pods.within({ fields: 'metadata.namespace=a' }), ({ entry, readiness, has }) => {
      has('10')
      entry.saw(made('20'))
      expect(readiness()).toBe('wait')
    }))

  it('N9: asks the server after a delete of whatever it was, where the first state may be of before', () =>
    withEntry(configMaps, ({ entry, readiness, has }) => {
      const before = entry.feeding.asked()
      entry.sawGone(undefined)
      has('10', made('10'), before)
      expect(readiness()).toBe('live')
      entry.sawLive(made('10'), entry.feeding.asked())
      expect(readiness()).toBe('cached')
    }))

  it('N9: does not take an answer of before its first state for one that settles a delete', () =>
    withEntry(configMaps, ({ entry, readiness, has }) => {
      const before = entry.feeding.asked()
      entry.sawGone(undefined)
      entry.sawLive(undefined, entry.feeding.asked())
      has('10', made('10'), before)
      expect(readiness()).toBe('live')
    }))

  it('N9: waits after a delete of a uid only where that is what is held', () =>
    withEntry(configMaps, ({ entry, readiness, has }) => {
      entry.sawGone('one')
      has('10', made('10', undefined, 'two'))
      expect(readiness()).toBe('cached')
    }))

  it('N9: asks for what the server has not had, and waits for the end of what is gone, until it has another one', () =>
    withEntry(configMaps, ({ entry, readiness, has }) => {
      const live = (object: KubernetesObject | undefined): void => entry.sawLive(object, entry.feeding.asked())
      has('10', made('10'))
      live(undefined)
      expect(readiness()).toBe('live')
      entry.sawGone('one')
      has('20', made('20', undefined, 'two'))
      expect(readiness()).toBe('cached')
      // Another one was deleted: an earlier one, or a later one.
      entry.sawGone('three')
      expect(readiness()).toBe('live')
      live(made('20', undefined, 'two'))
      expect(readiness()).toBe('cached')
      live(made('30', undefined, 'two'))
      expect(readiness()).toBe('wait')
      entry.sawGone('two')
      expect(readiness()).toBe('wait')
    }))

  it('N9: an answer that was asked for before the server was known to count anew is asked for again', () =>
    withEntry(configMaps, ({ entry, readiness, has }) => {
      has('100', made('90'))
      const before = entry.feeding.asked()
      has('50', made('40'))
      entry.sawLive(made('90'), before)
      expect(readiness()).toBe('live')
      has('60', made('60'))
      expect(readiness()).toBe('cached')
    }))

  it('R5: an answer that is older than what was known when the server was asked proves that it counts anew', () =>
    withEntry(configMaps, ({ entry, readiness, has, held }) => {
      has('100', made('90'))
      const before = entry.feeding.asked()
      entry.saw(made('120'))
      expect(readiness()).toBe('wait')
      expect(has('50', made('40'), before)).toBe(true)
      expect(held()).toMatchObject(made('40'))
      // What was written may be of before, or since.
      expect(readiness()).toBe('live')
      entry.sawLive(made('40'), entry.feeding.asked())
      expect(readiness()).toBe('cached')
      expect(has('60')).toBe(true)
      expect(held()).toBeUndefined()
    }))

  it('R5, R13: one that is older than what came meanwhile proves nothing, nor does one that can’t be compared', () =>
    withEntry(configMaps, ({ entry, has, held }) => {
      has('50', made('40'))
      const asked = entry.feeding.asked()
      has('100', made('90'))
      expect(has('70', made('40'), asked)).toBe(true)
      expect(held()).toMatchObject(made('90'))
      expect(has('seventy', made('40'))).toBe(false)
      expect(held()).toMatchObject(made('90'))
    }))

  it('R5: one that was asked for before the server was known to count anew is not taken', () =>
    withEntry(configMaps, ({ entry, has, held }) => {
      has('100', made('90'))
      const asked = entry.feeding.asked()
      has('50', made('40'))
      for (const late of ['30', '110']) expect(has(late, made(late), asked)).toBe(false)
      const source = openSource(entry.feeding, entry.bucket, 'x', 1)
      entry.feeding.state(source, { object: made('110'), bytes: 0, resourceVersion: '110' }, asked, false)
      expect(held()).toMatchObject(made('40'))
    }))

  it('R5, N9: one that was asked for after another entry has shown that it counts anew is kept, whatever its number', () =>
    withEntry(configMaps, ({ entry, readiness, has, held }) => {
      has('100', made('90'))
      entry.saw(made('90'))
      entry.feeding.wentBack()
      expect(readiness()).toBe('live')
      expect(has('120', made('110'))).toBe(true)
      expect(readiness()).toBe('cached')
      expect(held()).toMatchObject(made('110'))
    }))
})
