import type { KubernetesObject, View } from '@wherry/client'
import { describe, expect, it } from 'vitest'
import type { Sink, SinkEvent } from '../sink.ts'
import { callbackSink } from '../sinks/callback.ts'
import { type IteratorSink, iteratorSink } from '../sinks/iterator.ts'
import { queueSink } from '../sinks/queue.ts'
import { apples, pears } from '../testkit/set-up.ts'
import { RecordingSink } from './recording-sink.ts'
import { type SinkSubject, sinkChecks } from './sink-checks.ts'

type Table = Map<string, Map<string, string>>

interface Flaws {
  /** Does not forget objects that a replay did not deliver. */
  readonly hoards?: boolean
  /** Forgets failed and retried objects. */
  readonly hasty?: boolean
  /** Holds the keys to sweep in memory alone. */
  readonly forgetful?: boolean
  readonly mixesViews?: boolean
  readonly ignoresDeletions?: boolean
  readonly ignoresChanges?: boolean
  readonly hangs?: boolean
  readonly changesObjects?: boolean
  readonly trustsNames?: boolean
  readonly ignoresMoves?: boolean
  readonly needsObject?: boolean
}

/** A sink into a table, right or wrong. */
function tableSubject(flaws: Flaws = {}): SinkSubject {
  const table: Table = new Map()
  const name = (view: View): string => (flaws.mixesViews ? 'all' : view.key)
  const rows = (view: View): Map<string, string> => {
    const found = table.get(name(view)) ?? new Map<string, string>()
    table.set(name(view), found)
    return found
  }
  const open = (): Sink => {
    const stale = new Map<string, Set<string>>()
    const event = (event: SinkEvent): unknown => {
      const mine = rows(event.view)
      const left = stale.get(name(event.view))
      switch (event.type) {
        case 'reset':
          if (!(flaws.forgetful && stale.size === 0 && mine.size > 0)) stale.set(name(event.view), new Set(mine.keys()))
          return undefined
        case 'synced':
          if (flaws.hoards) return undefined
          for (const key of flaws.hasty ? [] : [...event.failed, ...event.retrying]) left?.delete(key)
          for (const key of left ?? []) mine.delete(key)
          stale.set(name(event.view), new Set())
          return undefined
        case 'deleted':
          if (flaws.needsObject && !mine.has(event.key)) throw new Error(`no ${event.key}`)
          if (!flaws.ignoresDeletions) mine.delete(event.key)
          return undefined
        case 'changed': {
          const { metadata } = event.object as KubernetesObject
          if (flaws.hangs) return new Promise(() => {})
          if (flaws.changesObjects) (metadata as { seen?: boolean }).seen = true
          if (flaws.trustsNames && /['"%]/.test(event.key)) throw new Error('a syntax error')
          if (flaws.ignoresChanges && mine.has(event.key)) return undefined
          left?.delete(event.key)
          mine.set(event.key, metadata?.resourceVersion ?? '')
        }
      }
      return undefined
    }
    const rescoped = (from: View, to: View): void => {
      if (flaws.ignoresMoves) return
      const moved = [...rows(from)]
      rows(from).clear()
      for (const [key, version] of moved) rows(to).set(key, version)
    }
    return { concurrency: 4, event, rescoped }
  }
  return { open, contents: view => rows(view) }
}

describe('a right table', () => {
  for (const { name, run } of sinkChecks(() => tableSubject())) it(`W12: ${name}`, run)
})

describe('RecordingSink', () => {
  const make = (): SinkSubject => {
    const recorder = new RecordingSink({ concurrency: 3, answer: () => Promise.resolve() })
    const contents = (view: View): [string, string | undefined][] =>
      [...recorder.contents(view)].map(([key, object]) => [key, (object as KubernetesObject).metadata?.resourceVersion])
    return { open: () => recorder, contents }
  }
  for (const { name, run } of sinkChecks(make)) it(`W12: ${name}`, run)
})

describe('callbackSink', () => {
  for (const { name, run } of sinkChecks(() => ({ open: () => callbackSink(() => {}, { concurrency: 5 }) }))) {
    it(`W12: ${name}`, run)
  }
})

describe('queueSink', () => {
  for (const { name, run } of sinkChecks(() => ({ open: () => queueSink({ add() {} }) }))) it(`W12: ${name}`, run)
})

describe('iteratorSink', () => {
  const make = (): SinkSubject => {
    const table = tableSubject()
    const sinks: IteratorSink[] = []
    const open = async (): Promise<Sink> => {
      const sink = iteratorSink()
      const writer = await table.open()
      sinks.push(sink)
      void (async () => {
        for await (const event of sink) await writer.event(event as SinkEvent<never>)
      })()
      return sink
    }
    const close = (): void => {
      for (const sink of sinks) sink.closed?.()
    }
    return { ...table, open, close }
  }
  for (const { name, run } of sinkChecks(make)) it(`W12: ${name}`, run)
})

describe('sinkChecks', () => {
  const failures = async (flaws: Flaws): Promise<string[]> => {
    const names: string[] = []
    for (const { name, run } of sinkChecks(() => tableSubject(flaws), { timeoutMs: 20 })) {
      try {
        await run()
      } catch {
        names.push(name)
      }
    }
    return names
  }

  it.each<[keyof Flaws, string]>([
    ['hoards', 'forgets at synced the objects that the replay did not deliver'],
    ['hasty', 'keeps what synced names as failed or retrying'],
    ['forgetful', 'has the objects of the replay after a restart, whenever it was ended'],
    ['mixesViews', 'keeps views apart'],
    ['ignoresDeletions', 'forgets a deleted object, and takes the deletion of an object that was never delivered'],
    ['ignoresChanges', 'has the newest state, and takes one twice'],
    ['hangs', 'has the objects of a replay'],
    ['changesObjects', 'has the objects of a replay'],
    ['trustsNames', 'takes an object’s name for data, whatever it is'],
    ['ignoresMoves', 'moves what it has of a view to another, if it has `rescoped`'],
    ['needsObject', 'forgets a deleted object, and takes the deletion of an object that was never delivered'],
  ])('finds a sink that is wrong: %s', async (flaw, name) => {
    expect(await failures({ [flaw]: true })).toContain(name)
  })

  it('takes views and objects of the sink’s own', async () => {
    const seen: string[] = []
    const views = [apples, pears] as const
    const event = (event: SinkEvent): void => {
      seen.push(`${event.view.resource.plural} ${(event.object as { colour?: string } | undefined)?.colour ?? ''}`)
    }
    const [first] = sinkChecks(() => ({ open: () => ({ event }) }), { views, object: () => ({ colour: 'red' }) })
    await first?.run()
    expect(seen).toEqual(['apples ', 'apples red', 'apples red', 'apples '])
  })
})
