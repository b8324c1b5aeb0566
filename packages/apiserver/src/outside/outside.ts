import type { Clock } from '../clock.ts'
import { StatusError } from '../status.ts'

/** A question to another program, such as a webhook. Questions with the same `key` have the same answer. */
export interface Question<T> {
  readonly key: string
  /** Rejects only for a bug of this server. If nobody answers, the result says so. */
  ask(signal: AbortSignal): Promise<T>
}

/** The maximum time of a request with all its questions, as on a real server, in milliseconds. */
const longestMs = 60_000

/** Thrown if a request can't be answered yet, with the open questions. */
class Unanswered {
  readonly questions: readonly Question<unknown>[]

  constructor(questions: readonly Question<unknown>[]) {
    this.questions = questions
  }
}

/** The state that all attempts at a request share. */
class Memory {
  // Few requests ask questions, so the maps are made at their first entry.
  answers: Map<string, unknown> | undefined
  readonly drawn: number[] = []
  done: Map<string, unknown> | undefined
  draws = 0
  now: number | undefined
}

/**
 * Lets synchronous code depend on the answers of other programs, such as webhooks. A request that needs an answer is broken off before it has changed anything.
 * The question is asked, and then the request is carried out again from its start, with the answer. So each attempt sees a single stored state, with the writes
 * of the meantime. Questions about an older state are asked again, as a real server does after a conflict.
 *
 * Random numbers and the time are the same in each attempt, so that equal questions have equal keys.
 */
export class Outside {
  readonly #clock: Clock
  readonly #random: () => number
  readonly #closed = new AbortController()
  #memory: Memory | undefined

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock
    this.#random = random
  }

  /** Carries out `work` until it succeeds or fails. `failed` receives its error. `over` returns whether the client has gone, so that no further attempt is made. */
  carryOut(work: () => void, failed: (error: unknown) => void, over: () => boolean): void {
    const memory = new Memory()
    const began = this.#clock.monotonic()
    const attempt = (): void => {
      try {
        this.#within(memory, work)
      } catch (error) {
        if (!(error instanceof Unanswered)) return failed(error)
        if (this.#clock.monotonic() - began > longestMs) return failed(tooLong())
        void this.#ask(memory, error.questions).then(
          () => {
            if (!over() && !this.#closed.signal.aborted) attempt()
          },
          (cause: unknown) => {
            if (!this.#closed.signal.aborted) failed(cause)
          },
        )
      }
    }
    attempt()
  }

  /** Whether a request is being carried out, so that questions can be asked. */
  get underWay(): boolean {
    return this.#memory !== undefined
  }

  /** Aborted when the server closes. */
  get closed(): AbortSignal {
    return this.#closed.signal
  }

  /** The answers to these questions, which are asked at the same time. Can be called only within `carryOut`. */
  answers<T>(questions: readonly Question<T>[]): readonly T[] {
    const memory = this.#memory
    if (memory === undefined) throw new Error('nothing can be asked outside of a request')
    const open = questions.filter(({ key }) => memory.answers?.has(key) !== true)
    if (open.length > 0) throw new Unanswered(open)
    return questions.map(({ key }) => memory.answers?.get(key) as T)
  }

  /** Does work that later attempts must not repeat, and remembers its result. */
  once<T>(key: string, work: () => T): T {
    const memory = this.#memory
    if (memory === undefined) return work()
    memory.done ??= new Map()
    if (!memory.done.has(key)) memory.done.set(key, work())
    return memory.done.get(key) as T
  }

  random(): number {
    const memory = this.#memory
    if (memory === undefined) return this.#random()
    const at = memory.draws++
    memory.drawn[at] ??= this.#random()
    return memory.drawn[at]
  }

  now(): number {
    const memory = this.#memory
    if (memory === undefined) return this.#clock.now()
    memory.now ??= this.#clock.now()
    return memory.now
  }

  /** Aborts all open questions. */
  close(): void {
    this.#closed.abort()
  }

  #within(memory: Memory, work: () => void): void {
    const before = this.#memory
    this.#memory = memory
    memory.draws = 0
    try {
      work()
    } finally {
      this.#memory = before
    }
  }

  async #ask(memory: Memory, questions: readonly Question<unknown>[]): Promise<void> {
    const { signal } = this.#closed
    const answers = await Promise.all(questions.map(question => question.ask(signal)))
    memory.answers ??= new Map()
    for (const [i, { key }] of questions.entries()) memory.answers.set(key, answers[i])
  }
}

function tooLong(): StatusError {
  const why = 'Timeout: request did not complete within requested timeout - context deadline exceeded'
  return new StatusError(504, 'Timeout', why, { details: {} })
}
