import { compareResourceVersions } from '@wherry/client/internal'
import { expect } from 'vitest'
import type { Change } from '../change.ts'
import type { Cursor } from '../journal/cursor.ts'
import type { Handler, Registration } from '../registrations/handler.ts'

/** The result of the model's projections. */
export interface Seen {
  readonly key: string
  readonly resourceVersion: string
  readonly value: string | undefined
}

/** The states that readers have received, to be compared with all states that were ever written. */
export interface Received {
  /** `key@resourceVersion=value` */
  readonly states: Set<string>
  /** How often the server's state was found to have gone back so far. */
  rollbacks(): number
}

/**
 * Checks that a reader receives no older state after a newer one, except once for each key after each rollback, at any time:
 * a reader that joins before the end of the relist receives the former states first.
 */
class Order {
  readonly #received: Received
  readonly #newest = new Map<string, string>()
  /** The last rollback after which it went back, by key. */
  readonly #back = new Map<string, number>()

  constructor(received: Received) {
    this.#received = received
  }

  see(what: string, { key, resourceVersion, value }: Seen): void {
    this.#received.states.add(`${key}@${resourceVersion}=${value}`)
    const rollbacks = this.#received.rollbacks()
    const isBack = compareResourceVersions(resourceVersion, this.#newest.get(key)) === 'older'
    if (isBack) {
      expect(this.#back.get(key) ?? 0, `${what} of ${key} goes back to ${resourceVersion}`).toBeLessThan(rollbacks)
      this.#back.set(key, rollbacks)
    }
    // After a rollback, the state of a deleted object does not count: later states may be older.
    if (what !== 'delete' || rollbacks === 0) this.#newest.set(key, resourceVersion)
  }
}

/** A handler that replays what it receives. */
export class HandlerReplay implements Handler<Seen> {
  readonly objects: Map<string, Seen> = new Map()
  /** Keys of objects without a value. */
  readonly valueless: Set<string> = new Set()
  readonly #order: Order
  readonly #misbehave: () => unknown
  registration: Registration | undefined
  removed = false
  calls = 0
  problem: unknown

  /** @param misbehave called in each call, after the call was noted */
  constructor(received: Received, misbehave: () => unknown) {
    this.#order = new Order(received)
    this.#misbehave = misbehave
  }

  add(object: Seen, { key }: { readonly key: string }): unknown {
    return this.#note(() => {
      expect(this.objects.has(key), `add of ${key}, which is there`).toBe(false)
      this.valueless.delete(key)
      this.#order.see('add', object)
      this.objects.set(key, object)
    })
  }

  update(object: Seen, { old, key }: { readonly old: Seen; readonly key: string }): unknown {
    return this.#note(() => {
      expect(this.objects.get(key), `the old ${key}`).toBe(old)
      this.#order.see('update', object)
      this.objects.set(key, object)
    })
  }

  delete(object: Seen, { key }: { readonly key: string }): unknown {
    return this.#note(() => {
      expect(this.objects.has(key), `delete of ${key}, which is not there`).toBe(true)
      this.#order.see('delete', { ...object, value: this.objects.get(key)?.value })
      this.objects.delete(key)
    })
  }

  onTransformFailed({ key, isThere }: { readonly key: string; readonly isThere: boolean }): unknown {
    return this.#note(() => {
      expect(this.objects.has(key), `${key} is there, and has a value`).toBe(false)
      expect(this.valueless.has(key), `whether ${key} was there`).toBe(!isThere)
      if (isThere) this.valueless.add(key)
      else this.valueless.delete(key)
    })
  }

  remove(): void {
    this.registration?.remove()
    this.removed = true
  }

  #note(check: () => void): unknown {
    this.calls += 1
    try {
      expect(this.removed, 'called after its removal').toBe(false)
      check()
    } catch (error) {
      this.problem ??= error
    }
    return this.#misbehave()
  }
}

/** Replays the changes of a cursor onto the objects that a sink may hold from an earlier cursor. */
export class CursorReplay {
  readonly objects: Map<string, Seen>
  readonly #cursor: Cursor<Seen>
  readonly #order: Order
  /** The keys that were read since `reset`. */
  #lap: Set<string> | undefined

  constructor(cursor: Cursor<Seen>, received: Received, former?: CursorReplay) {
    this.#cursor = cursor
    this.#order = new Order(received)
    this.objects = new Map(former?.objects)
  }

  /** Reads up to `max` changes. Returns their number. */
  read(max: number): number {
    const changes = this.#cursor.take(max)
    for (const change of changes) this.#receive(change)
    return changes.length
  }

  close(): void {
    this.#cursor.close()
    expect(this.#cursor.take(10)).toEqual([])
  }

  #receive(change: Change<Seen>): void {
    switch (change.type) {
      case 'reset':
        this.#lap = new Set()
        return
      case 'changed':
        this.#order.see('changed', change.object)
        this.#lap?.add(change.key)
        this.objects.set(change.key, change.object)
        return
      case 'deleted':
        this.#lap?.delete(change.key)
        this.objects.delete(change.key)
        return
      case 'synced':
        expect(this.#lap, 'synced without a reset').toBeDefined()
        for (const key of [...this.objects.keys()]) {
          if (!this.#lap?.has(key) && !change.failed.includes(key)) this.objects.delete(key)
        }
        this.#lap = undefined
    }
  }
}
