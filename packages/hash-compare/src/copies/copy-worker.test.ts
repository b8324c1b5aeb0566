import { ApiError, ResourceNotFoundError } from '@wherry/client'
import type { ConfigMap } from '@wherry/client/resources/core'
import { type Simulation, simulate } from '@wherry/testing'
import { ExponentialRateLimiter, WorkQueue } from '@wherry/work-queue'
import { describe, expect, it } from 'vitest'
import type { CopyEvent } from './copy-event.ts'
import type { CopyViews } from './copy-views.ts'
import { CopyWorker } from './copy-worker.ts'
import type { Attempt, CopyWriter } from './copy-writer.ts'
import type { Decider } from './decision.ts'
import { sourceId } from './marks.ts'
import { Meter } from './meter.ts'
import { Sources } from './sources.ts'
import { Teller } from './teller.ts'
import { settings } from './testkit/cluster.ts'
import { copyItem, namespaceItem, sourceItem } from './work-item.ts'

const id = sourceId('shared/s0')
const item = (namespace: string): string => copyItem(id, namespace, 's0')

interface Given {
  /** What is decided of the copy in a namespace without a request. @default 'write' */
  readonly decide?: (namespace: string) => object
  /** What becomes of an attempt to write it. @default 'done' */
  readonly attempt?: (namespace: string) => Attempt | Promise<Attempt>
  readonly concurrency?: number
  readonly copyName?: (source: ConfigMap, namespace: string) => string
}

/** A worker of its own, whose decisions and writes are as they are given. */
async function working(given: Given, test: (kit: Kit) => Promise<void>): Promise<void> {
  const simulation = simulate(1)
  const { environment } = simulation
  const { clock } = environment
  const queue = new WorkQueue({ clock, rateLimiter: new ExponentialRateLimiter({ baseMs: 50, maxMs: 60_000 }) })
  const end = new AbortController()
  const events: CopyEvent[] = []
  const onEvent = (event: CopyEvent): void => void events.push(event)
  const attempted: string[] = []
  const sources = new Sources<ConfigMap, ConfigMap>({ ...settings, copyName: given.copyName } as never)
  const meter = new Meter(environment.metrics, 'settings')
  const worker = new CopyWorker<ConfigMap, ConfigMap>({
    queue,
    concurrency: given.concurrency ?? 10,
    clock,
    signal: end.signal,
    sources,
    writer: {
      attempt: async (_: unknown, __: string, { namespace }: { readonly namespace: string }) => {
        attempted.push(namespace)
        return given.attempt?.(namespace) ?? 'done'
      },
    } as unknown as CopyWriter<ConfigMap, ConfigMap>,
    meter,
    teller: new Teller({ environment, onEvent, resource: 'copies', signal: end.signal }),
    onDone: () => {},
  })
  const decider = { decide: (_: string, namespace: string) => given.decide?.(namespace) ?? { what: 'write' } }
  const views = { namespaces: { keys: () => ['a', 'b'].values() } }
  const running = worker.run(
    decider as unknown as Decider<ConfigMap, ConfigMap>,
    views as unknown as CopyViews<ConfigMap, ConfigMap>,
  )
  try {
    await test({ simulation, queue, worker, meter, events, attempted, sources, end })
  } finally {
    await simulation.run(() => queue.stop())
    await simulation.run(() => running)
  }
}

interface Kit {
  readonly simulation: Simulation
  readonly queue: WorkQueue
  readonly worker: CopyWorker<ConfigMap, ConfigMap>
  readonly meter: Meter
  readonly events: CopyEvent[]
  readonly attempted: string[]
  readonly sources: Sources<ConfigMap, ConfigMap>
  readonly end: AbortController
}

const nothing = (because: string) => ({ what: 'nothing', because })
const about = { method: 'PUT', path: '/', key: 'a/s0' } as const
const answer = (status: number, reason: string, causes: readonly object[] = []): ApiError =>
  new ApiError({ status, reason, message: 'told so', causes: causes as never }, about)

describe('a copy', () => {
  it('H4: for which nothing is to be done makes no attempt, and counts as a skipped write where it is as wanted', () =>
    working({ decide: namespace => nothing(namespace === 'a' ? 'equal' : 'unwanted') }, async kit => {
      kit.queue.add(item('a'))
      kit.queue.add(item('b'))
      await kit.simulation.advance(10)
      expect(kit.attempted).toEqual([])
      expect(kit.meter.counts.skipped).toBe(1)
      expect([kit.queue.size, kit.queue.delayed, kit.queue.running]).toEqual([0, 0, 0])
    }))

  it('whose namespace is not known is looked at again a second later', () =>
    working({ decide: () => nothing('unplaced') }, async kit => {
      kit.queue.add(item('a'))
      await kit.simulation.advance(999)
      expect(kit.queue.delayed).toBe(1)
      expect(kit.meter.counts.skipped).toBe(0)
    }))

  it('H8: which an attempt was in vain for is tried again after a wait that grows, and from the start once it is done', () => {
    const outcomes: Attempt[] = ['again', 'again', 'done']
    return working({ attempt: () => outcomes.shift() ?? 'again' }, async kit => {
      kit.queue.add(item('a'))
      await kit.simulation.advance(40)
      expect([kit.attempted.length, kit.queue.failures(item('a'))]).toEqual([1, 1])
      await kit.simulation.advance(200)
      expect([kit.attempted.length, kit.queue.failures(item('a'))]).toEqual([3, 0])
      expect(kit.queue.delayed).toBe(0)
    })
  })

  it('that is to be looked at later is looked at then', () => {
    const outcomes: Attempt[] = [{ afterMs: 5000 }, 'done']
    return working({ attempt: () => outcomes.shift() ?? 'again' }, async kit => {
      kit.queue.add(item('a'))
      await kit.simulation.advance(4990)
      expect([kit.attempted.length, kit.queue.delayed]).toEqual([1, 1])
      await kit.simulation.advance(20)
      expect([kit.attempted.length, kit.queue.delayed]).toEqual([2, 0])
    })
  })

  it('holds up no other, but for so many at a time', () => {
    const { promise, resolve } = Promise.withResolvers<Attempt>()
    return working({ concurrency: 2, attempt: namespace => (namespace === 'c' ? 'done' : promise) }, async kit => {
      for (const namespace of ['a', 'b', 'c']) kit.queue.add(item(namespace))
      await kit.simulation.advance(10)
      expect(kit.attempted).toEqual(['a', 'b'])
      resolve('done')
      await kit.simulation.advance(10)
      expect(kit.attempted).toEqual(['a', 'b', 'c'])
    })
  })

  it('is worked at while the event loop is given back every 10 ms', () =>
    working({ decide: () => nothing('equal') }, async kit => {
      const { clock } = kit.simulation.environment
      const { turn, monotonic } = clock
      let turns = 0
      let now = 0
      const counted = (): Promise<void> => {
        turns += 1
        return turn.call(clock)
      }
      Object.assign(clock, { turn: counted, monotonic: () => (now += 2) })
      for (let i = 0; i < 400; i++) kit.queue.add(item(`n${i}`))
      await kit.simulation.run(async () => {
        while (kit.queue.size > 0) await turn.call(clock)
      })
      Object.assign(clock, { turn, monotonic })
      expect(turns).toBeGreaterThan(20)
      expect(turns).toBeLessThan(200)
    }))
})

describe('an attempt that fails', () => {
  it.each([
    ['another state of it is on its way', answer(409, 'Conflict')],
    ['it is another object', answer(422, 'Invalid', [{ field: 'metadata.uid' }])],
    ['it has gone', new ApiError({ status: 404, reason: 'NotFound', message: '', details: { name: 's0' } }, about)],
    [
      'its namespace is not there yet',
      new ApiError(
        { status: 404, reason: 'NotFound', message: '', details: { name: 'a', kind: 'namespaces' } },
        { method: 'POST', path: '/api/v1/namespaces/a/configmaps' },
      ),
    ],
    ['its namespace goes', answer(403, 'Forbidden', [{ reason: 'Other' }, { reason: 'NamespaceTerminating' }])],
  ])('H5: because %s is a conflict, and no failure', (_, error) =>
    working({ attempt: () => Promise.reject(error) }, async kit => {
      kit.queue.add(item('a'))
      await kit.simulation.advance(40)
      expect(kit.events).toEqual([{ type: 'conflict', key: 'a/s0', error }])
      expect(kit.meter.counts).toMatchObject({ conflicts: 1, failures: 0 })
      expect(kit.worker.failing).toEqual(new Map())
      expect(kit.simulation.environment.errors).toEqual([])
      expect(kit.queue.delayed).toBe(1)
    }),
  )

  it.each([
    ['the server fails', answer(500, 'InternalError')],
    ['it is not allowed', answer(403, 'Forbidden', [{ reason: 'Other' }])],
    ['the resource is not served', new ResourceNotFoundError({ status: 404, message: 'told so' }, about)],
    ['it is no valid object', answer(422, 'Invalid', [{ field: 'data' }])],
    ['the code is wrong', new TypeError('oops')],
  ])('H8: because %s is told, seen in the report, and tried again', (_, error) =>
    working({ attempt: () => Promise.reject(error) }, async kit => {
      kit.queue.add(item('a'))
      await kit.simulation.advance(40)
      expect(kit.events).toEqual([{ type: 'failed', key: 'a/s0', error, failures: 1 }])
      expect(kit.meter.counts).toMatchObject({ conflicts: 0, failures: 1 })
      expect(kit.worker.failing).toEqual(new Map([['a/s0', error]]))
      expect(kit.simulation.environment.errors.map(told => [told.error, told.context.phase, told.context.key])).toEqual(
        [[error, 'copy', 'a/s0']],
      )
      expect(kit.queue.delayed).toBe(1)
    }),
  )

  it('H8: is in the report until the copy is as it should be', () => {
    const attempts = [() => Promise.reject(new Error('once')), () => Promise.resolve('done' as const)]
    return working({ attempt: () => (attempts.shift() as () => Promise<Attempt>)() }, async kit => {
      kit.queue.add(item('a'))
      await kit.simulation.advance(40)
      expect([...kit.worker.failing.keys()]).toEqual(['a/s0'])
      await kit.simulation.advance(100)
      expect([...kit.worker.failing.keys()]).toEqual([])
    })
  })

  it('X10: is told to nobody where it was aborted at the end', () => {
    const failure = Promise.withResolvers<Attempt>()
    return working({ attempt: () => failure.promise }, async kit => {
      kit.queue.add(item('a'))
      await kit.simulation.advance(10)
      kit.end.abort()
      failure.reject(answer(409, 'Conflict'))
      await kit.simulation.advance(10)
      kit.queue.add(item('b'))
      await kit.simulation.advance(10)
      expect([kit.events, kit.simulation.environment.errors]).toEqual([[], []])
      expect(kit.meter.counts).toMatchObject({ conflicts: 0, failures: 0 })
    })
  })
})

describe('a spread', () => {
  it('H7: of a source looks at its copy in each namespace, that of a namespace at the copy of each source', () =>
    working({}, async kit => {
      kit.sources.heard('shared/s0', { data: {} }, false)
      kit.queue.add(sourceItem(id))
      await kit.simulation.advance(10)
      expect(kit.attempted).toEqual(['a', 'b'])
      kit.queue.add(namespaceItem('c'))
      await kit.simulation.advance(10)
      expect(kit.attempted).toEqual(['a', 'b', 'c'])
    }))

  it('H8: that a name can not be made for is a failure of the source, or of the namespace, and is tried again', () => {
    let broken = true
    const copyName = (_: ConfigMap, namespace: string) => {
      if (broken) throw new Error(`no name in ${namespace}`)
      return 's0'
    }
    return working({ copyName }, async kit => {
      kit.sources.heard('shared/s0', { data: {} }, false)
      kit.queue.add(sourceItem(id))
      kit.queue.add(namespaceItem('c'))
      await kit.simulation.advance(40)
      expect([...kit.worker.failing].map(([key, { message }]) => [key, message])).toEqual([
        ['shared/s0', 'no name in a'],
        ['c', 'no name in c'],
      ])
      expect(kit.queue.delayed).toBe(2)
      broken = false
      await kit.simulation.advance(1000)
      expect(kit.worker.failing).toEqual(new Map())
      expect(kit.attempted.toSorted()).toEqual(['a', 'b', 'c'])
    })
  })
})
