import { ApiError, type Client, type Clock } from '@wherry/client'
import { systemEnvironment } from '@wherry/client/internal'
import type { Secret } from '@wherry/client/resources/core'
import type { NarrowReader } from '../narrow.ts'

type Seen = (object: Secret | undefined) => void

/** One Secret that replicas share without a server, for years of simulated time. Each replica sees a change after a delay of its own. */
export class SharedSecret {
  #stored: Secret | undefined
  #version = 0
  readonly #watchers: { readonly seen: Seen; readonly clock: Clock; readonly delayMs: () => number }[] = []
  writes = 0

  /** What a replica has of it. `skewMs`: by how much its wall clock is wrong. */
  replica(
    clock: Clock,
    skewMs: number,
    delayMs: () => number,
    onError: (error: Error) => void,
  ): { readonly client: Client; readonly narrow: NarrowReader } {
    const own: Clock = { ...clock, now: () => clock.now() + skewMs }
    const environment = systemEnvironment({ clock: own, onError })
    const narrow = {
      watch: async (_view: unknown, _key: unknown, handler: { add: Seen; absent: () => unknown }) => {
        this.#watchers.push({ seen: handler.add, clock, delayMs })
        if (this.#stored === undefined) handler.absent()
        else handler.add(this.#stored)
        return { close: async () => {} }
      },
    }
    const client = {
      environment,
      create: async (_view: unknown, object: Secret) => this.#write(object, undefined),
      patch: async (_view: unknown, _key: unknown, change: Secret) =>
        this.#write(change, change.metadata?.resourceVersion),
    }
    return { client: client as unknown as Client, narrow: narrow as unknown as NarrowReader }
  }

  #write({ data }: Secret, precondition: string | undefined): Secret {
    if (precondition !== this.#stored?.metadata?.resourceVersion) throw conflict(precondition)
    this.#version += 1
    this.writes += 1
    const stored = { metadata: { resourceVersion: `${this.#version}` }, data: data ?? {} }
    this.#stored = stored
    for (const { seen, clock, delayMs } of this.#watchers) clock.timer(delayMs(), () => seen(stored))
    return stored
  }
}

function conflict(precondition: string | undefined): Error {
  const reason = precondition === undefined ? 'AlreadyExists' : 'Conflict'
  return Object.assign(Object.create(ApiError.prototype), { status: 409, reason, message: reason })
}
