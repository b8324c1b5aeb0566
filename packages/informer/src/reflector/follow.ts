import type { Timer } from '@wherry/client'
import type { Phase } from './phase.ts'
import type { ReflectorContext, UnderWay } from './reflector-context.ts'
import { type Ended, Stream, type StreamFollower } from './stream.ts'
import { afterWatching, wholeState } from './transitions.ts'

/** The longest random delay before a watch that the server will end soon is replaced, in milliseconds (rule N14). */
const movingMs = 5_000
/** How long the server may take to accept the new watch before the old watch goes on, in milliseconds. */
const openingMs = 5_000

/**
 * Follows the changes by a watch to its end. Resolves with the next phase.
 * @param stream the streaming list that has become the watch; otherwise a new watch is opened
 */
export function follow(context: ReflectorContext, stream?: Stream): Promise<Phase> {
  return new Promise(resolve => {
    const following = new Following(context, resolve, stream)
    context.underWay = following
    stream?.follow(following)
  })
}

/**
 * The live watch, and the watch that replaces it when the server is going away (rule N14). The old watch is paused while the new
 * watch is opened from the last resourceVersion, so no event is lost and none comes twice.
 */
class Following implements UnderWay, StreamFollower {
  readonly #context: ReflectorContext
  readonly #resolve: (next: Phase) => void
  #stream: Stream
  #next: Stream | undefined
  #timer: Timer | undefined
  /** Leaves the queue of the pacer. */
  #leave: (() => void) | undefined

  constructor(context: ReflectorContext, resolve: (next: Phase) => void, stream: Stream | undefined) {
    this.#context = context
    this.#resolve = resolve
    this.#stream = stream ?? this.#open(this)
  }

  draining(): void {
    this.#move(this.#context.settings.environment.random() * movingMs)
  }

  ended(ended: Ended): void {
    this.#end()
    this.#context.isAgain = true
    this.#resolve(afterWatching(this.#context, ended))
  }

  fail(error: Error): void {
    this.ended({ end: { how: 'threw', error }, livedMs: 0, openMs: 0, events: 0 })
  }

  relist(): void {
    this.#end()
    this.#resolve(wholeState(this.#context))
  }

  interrupt(): void {
    this.#end()
    this.#resolve({ is: 'stopped' })
  }

  #open(follower: StreamFollower): Stream {
    return new Stream(this.#context, { resourceVersion: this.#context.resourceVersion ?? '' }, follower)
  }

  #end(): void {
    this.#context.underWay = undefined
    this.#timer?.cancel()
    this.#leave?.()
    this.#stream.abort()
    this.#next?.abort()
  }

  #move(inMs: number): void {
    if (this.#next !== undefined || this.#leave !== undefined) return
    this.#timer?.cancel()
    this.#timer = this.#context.clock.timer(inMs, () => {
      this.#leave = this.#context.settings.pacer?.enter(() => this.#openNext(), false)
      if (this.#leave === undefined) this.#openNext()
    })
  }

  #openNext(): void {
    this.#leave = undefined
    this.#stream.hold()
    const next: Stream = this.#open({ opened: () => this.#moved(next), ended: () => this.#stay() })
    this.#next = next
    this.#timer = this.#context.clock.timer(openingMs, () => {
      next.abort()
      this.#stay()
    })
  }

  /** Replaces the old watch by the new one. The state stays `watching`. */
  #moved(next: Stream): void {
    this.#timer?.cancel()
    this.#stream.abort()
    this.#stream = next
    this.#next = undefined
    next.follow(this)
  }

  /** Continues the old watch for as long as it lasts, because there is no new watch yet. */
  #stay(): void {
    this.#timer?.cancel()
    this.#next = undefined
    this.#move(this.#context.backoff.next())
    this.#stream.release()
  }
}
