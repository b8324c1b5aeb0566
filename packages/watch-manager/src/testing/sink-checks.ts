import assert from 'node:assert/strict'
import { defineResource, type KubernetesObject, type View } from '@wherry/client'
import type { Changed, Deleted } from '@wherry/informer'
import type { Sink, SinkEvent } from '../sink.ts'

/** The subject of the checks: a storage, empty at first, and sinks that write to it. */
export interface SinkSubject<S extends Sink<never> = Sink<never>> {
  /** Opens a sink; the second time over the storage of the first one, as after a restart. */
  open(): S | Promise<S>
  /**
   * The {@link Contents} of the storage for a view: keys (`namespace/name`), each with the object's resourceVersion if the sink stores it. Leave this
   * out for a sink that stores nothing, such as one that fills a queue: then only the calls of the sink are checked.
   */
  contents?(view: View): Contents | Promise<Contents>
  /** Releases the storage. */
  close?(): unknown
}

/** Keys, each with its resourceVersion if the sink stores that. */
export type Contents = Iterable<readonly [key: string, resourceVersion?: string | undefined]>

/** The options of the checks of a sink. */
export interface SinkChecksOptions {
  /** Two views of one resource. The sink can take their events. @default views of a resource made for the purpose */
  readonly views?: readonly [View, View] | undefined
  /** The fields of an object besides its metadata. @default none */
  readonly object?: ((metadata: { readonly name: string; readonly namespace: string }) => object) | undefined
  /** The maximum time of a call, in milliseconds. A longer call counts as hung. @default 60_000 */
  readonly timeoutMs?: number | undefined
}

/** A check of a sink: a title, and a function that rejects with an `AssertionError`, or with the sink's error. */
export interface SinkCheck {
  readonly name: string
  run(): Promise<void>
}

/**
 * The contract of a {@link Sink} as checks, for any test runner.
 *
 * @param make called for each check, for a subject of its own
 * @example
 * ```ts
 * import { test } from 'node:test'
 * import { callbackSink } from '@wherry/watch-manager'
 * import { sinkChecks } from '@wherry/watch-manager/testing'
 *
 * const checks = sinkChecks(() => ({ open: () => callbackSink(event => console.log(event.type)) }))
 * for (const { name, run } of checks) test(name, run)
 * ```
 */
export function sinkChecks(
  make: () => SinkSubject | Promise<SinkSubject>,
  options: SinkChecksOptions = {},
): readonly SinkCheck[] {
  return Object.entries(checks).map(([name, check]) => ({
    name,
    async run() {
      const subject = await make()
      try {
        await check(new SinkDriver(subject, options))
      } finally {
        await subject.close?.()
      }
    },
  }))
}

const resource = defineResource<KubernetesObject>({
  group: 'sink-checks.example.com',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  namespaced: true,
})
const ownViews = [resource, resource.within({ labels: { app: 'web' } })] as const

/** Delivers events to a subject's sink, and compares its contents. */
class SinkDriver {
  readonly views: readonly [View, View]
  readonly #subject: SinkSubject
  readonly #options: SinkChecksOptions
  #sink: Sink<never> | undefined

  constructor(subject: SinkSubject, options: SinkChecksOptions) {
    this.#subject = subject
    this.#options = options
    this.views = options.views ?? ownViews
  }

  async sink(): Promise<Sink<never>> {
    this.#sink ??= await this.#subject.open()
    return this.#sink
  }

  /** The next event goes to another sink, over the same storage. */
  restart(): void {
    this.#sink = undefined
  }

  /** An object's event: `a@3` is object `a` at resourceVersion 3. */
  event(type: 'changed' | 'deleted', text: string, view: View = this.views[0]): Changed<unknown> | Deleted<unknown> {
    const [name = '', resourceVersion] = text.split('@')
    const at = { name, namespace: 'default' }
    const object = { metadata: { ...at, uid: `uid-${name}`, resourceVersion }, ...this.#options.object?.(at) }
    const event = { view, key: `default/${name}`, object: frozen(object) }
    return type === 'changed' ? { type, ...event } : { type, ...event, finalStateUnknown: false }
  }

  async deliver(event: SinkEvent): Promise<void> {
    const sink = await this.sink()
    await this.#inTime(event.type, () => sink.event(event as SinkEvent<never>))
  }

  changed(text: string, view?: View): Promise<void> {
    return this.deliver(this.event('changed', text, view))
  }

  deleted(text: string, view?: View): Promise<void> {
    return this.deliver(this.event('deleted', text, view))
  }

  reset(view: View = this.views[0]): Promise<void> {
    return this.deliver({ type: 'reset', view })
  }

  synced(
    lists: { failed?: readonly string[]; retrying?: readonly string[] } = {},
    view = this.views[0],
  ): Promise<void> {
    return this.deliver({ type: 'synced', view, failed: lists.failed ?? [], retrying: lists.retrying ?? [] })
  }

  /** Replays one view, from `reset` to `synced`. */
  async replay(texts: readonly string[], view?: View): Promise<void> {
    await this.reset(view)
    for (const text of texts) await this.changed(text, view)
    await this.synced({}, view)
  }

  async call(what: string, fn: (sink: Sink<never>) => unknown): Promise<void> {
    const sink = await this.sink()
    await this.#inTime(what, () => fn(sink))
  }

  /** Checks that the sink has exactly these objects: `a@3`. */
  async holds(texts: readonly string[], view: View = this.views[0]): Promise<void> {
    if (this.#subject.contents === undefined) return
    const contents = await this.#subject.contents(view)
    const wanted = new Map(texts.map(text => text.split('@') as [string, string]))
    const found = [...contents].map(
      ([key, version]) => [key, version ?? wanted.get(key.replace('default/', ''))] as const,
    )
    assert.deepEqual(
      found.map(([key, version]) => `${key}@${version}`).sort(),
      texts.map(text => `default/${text}`).sort(),
      `what the sink has of ${view.key}`,
    )
  }

  async #inTime(what: string, fn: () => unknown): Promise<void> {
    const { timeoutMs = 60_000 } = this.#options
    const { promise, reject } = Promise.withResolvers<never>()
    const late = (): void => reject(new assert.AssertionError({ message: `${what} did not settle in ${timeoutMs} ms` }))
    const timer = setTimeout(late, timeoutMs)
    try {
      await Promise.race([fn(), promise])
    } finally {
      clearTimeout(timer)
    }
  }
}

const checks: Readonly<Record<string, (driver: SinkDriver) => Promise<void>>> = {
  'has the objects of a replay': async driver => {
    await driver.replay(['a@1', 'b@2'])
    await driver.holds(['a@1', 'b@2'])
  },
  'has the newest state, and takes one twice': async driver => {
    await driver.replay(['a@1'])
    await driver.changed('a@2')
    await driver.changed('a@2')
    await driver.changed('b@3')
    await driver.holds(['a@2', 'b@3'])
  },
  'forgets a deleted object, and takes the deletion of an object that was never delivered': async driver => {
    await driver.replay(['a@1', 'b@2'])
    await driver.deleted('a@3')
    await driver.deleted('a@3')
    await driver.deleted('never@4')
    await driver.holds(['b@2'])
  },
  'takes an object that is deleted and created again': async driver => {
    await driver.replay(['a@1'])
    await driver.deleted('a@2')
    await driver.changed('a@3')
    await driver.holds(['a@3'])
  },
  'forgets at synced the objects that the replay did not deliver': async driver => {
    await driver.replay(['a@1', 'b@2', 'c@3'])
    await driver.replay(['b@4', 'd@5'])
    await driver.holds(['b@4', 'd@5'])
  },
  'takes a replay of nothing': async driver => {
    await driver.replay(['a@1'])
    await driver.replay([])
    await driver.holds([])
  },
  'keeps what synced names as failed or retrying': async driver => {
    await driver.replay(['a@1', 'b@2', 'c@3', 'd@4'])
    await driver.reset()
    await driver.changed('a@1')
    await driver.synced({ failed: ['default/b', 'default/unseen'], retrying: ['default/c'] })
    await driver.holds(['a@1', 'b@2', 'c@3'])
  },
  'takes deletions and changes within a replay': async driver => {
    await driver.replay(['a@1', 'b@2'])
    await driver.reset()
    await driver.changed('a@1')
    await driver.deleted('a@3')
    await driver.changed('b@4')
    await driver.synced()
    await driver.holds(['b@4'])
  },
  'begins again if a replay is cut short by the next': async driver => {
    await driver.replay(['a@1', 'b@2'])
    await driver.reset()
    await driver.changed('a@1')
    await driver.changed('c@3')
    await driver.replay(['b@2'])
    await driver.holds(['b@2'])
  },
  'takes reset and synced again, as after a call that was thought to have failed': async driver => {
    await driver.replay(['a@1', 'b@2'])
    await driver.reset()
    await driver.reset()
    await driver.changed('a@1')
    await driver.synced()
    await driver.synced()
    await driver.holds(['a@1'])
  },
  'has the objects of the replay after a restart, whenever it was ended': async driver => {
    await driver.replay(['a@1', 'b@2'])
    driver.restart()
    await driver.reset()
    await driver.changed('a@1')
    driver.restart()
    await driver.replay(['a@3', 'c@4'])
    await driver.holds(['a@3', 'c@4'])
  },
  'keeps views apart': async driver => {
    const [one, other] = driver.views
    await driver.replay(['a@1', 'b@2'], one)
    await driver.replay(['a@1', 'c@3'], other)
    await driver.deleted('a@4', one)
    await driver.replay(['c@3'], other)
    await driver.holds(['b@2'], one)
    await driver.holds(['c@3'], other)
  },
  'takes as many events of distinct objects at once as it asks for': async driver => {
    const { concurrency = 1 } = await driver.sink()
    const texts = Array.from({ length: Math.min(concurrency, 100) }, (_, index) => `a${index}@${index + 1}`)
    await driver.reset()
    await Promise.all(texts.map(text => driver.changed(text)))
    await driver.synced()
    await driver.holds(texts)
    await Promise.all(texts.map(text => driver.deleted(text)))
    await driver.holds([])
  },
  'takes an object’s name for data, whatever it is': async driver => {
    const names = ['__proto__@1', 'constructor@2', 'system:node@3', "it's@4", 'a"b@5', '%@6']
    await driver.replay(names)
    await driver.holds(names)
    await driver.deleted('__proto__@7')
    await driver.holds(names.slice(1))
  },
  'moves what it has of a view to another, if it has `rescoped`': async driver => {
    const [from, to] = driver.views
    await driver.replay(['a@1', 'b@2'], from)
    if ((await driver.sink()).rescoped === undefined) return
    await driver.call('rescoped', sink => sink.rescoped?.(from as View<never>, to as View<never>))
    await driver.call('rescoped', sink => sink.rescoped?.(from as View<never>, to as View<never>))
    await driver.deleted('a@3', to)
    await driver.changed('c@4', to)
    await driver.holds([], from)
    await driver.holds(['b@2', 'c@4'], to)
    await driver.replay(['b@2'], to)
    await driver.holds(['b@2'], to)
  },
  'returns from `removed` and `closed`': async driver => {
    await driver.replay(['a@1'])
    await driver.call('removed', sink => sink.removed?.(driver.views[0] as View<never>))
    await driver.call('closed', sink => sink.closed?.())
  },
}

/** Freezes an object deeply: a sink that changes an object of the cache throws. */
function frozen(value: object): object {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) frozen(inner)
  return Object.freeze(value)
}
