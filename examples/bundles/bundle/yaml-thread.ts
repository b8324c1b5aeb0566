import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { BundleError } from './errors.ts'

/** A file that took too long to parse. Another time it may not: the machine may be busy. */
export class YamlTooSlowError extends Error {
  override readonly name = 'YamlTooSlowError'
  readonly reason = 'TooSlow'
}

export interface YamlLimits {
  /** What the thread may have of a heap, in MiB. @default 48 */
  readonly heapMb?: number | undefined
  /** How long a file may take, in milliseconds. @default 60_000 */
  readonly timeoutMs?: number | undefined
}

type Answer = { readonly documents: string } | { readonly error: string }

/**
 * Parses YAML in a thread of its own, so that the operator goes on meanwhile: a dense megabyte takes some hundred milliseconds. There is one thread
 * for the bundles that wait, one after the other. It ends when none waits any more, and what it needs of memory goes with it.
 */
export class YamlThread {
  readonly #heapMb: number
  readonly #timeoutMs: number
  #last: Promise<unknown> = Promise.resolve()
  /** Calls that wait for their turn. */
  #waiting = 0
  #worker: Worker | undefined

  constructor({ heapMb = 48, timeoutMs = 60_000 }: YamlLimits = {}) {
    this.#heapMb = heapMb
    this.#timeoutMs = timeoutMs
  }

  /**
   * The documents of files, by their paths. If nobody else waits, it resolves, or rejects, once the thread has ended.
   *
   * @throws BundleError `InvalidManifest`, and `TooLarge` for a file that needs more than the heap
   * @throws YamlTooSlowError, and the reason of the signal
   */
  parse(files: ReadonlyMap<string, Buffer>, signal: AbortSignal): Promise<ReadonlyMap<string, readonly unknown[]>> {
    this.#waiting += 1
    const parsed = this.#last.then(() => this.#parse(files, signal))
    this.#last = parsed.catch(() => {})
    return parsed
  }

  async #parse(files: ReadonlyMap<string, Buffer>, signal: AbortSignal): Promise<Map<string, readonly unknown[]>> {
    this.#waiting -= 1
    const texts = new Map<string, string>()
    let isUsable = signal.aborted
    try {
      signal.throwIfAborted()
      const worker = this.#started()
      for (const [path, content] of files) texts.set(path, await this.#ask(worker, path, content, signal))
      isUsable = true
    } finally {
      // A thread that was given up may still be busy.
      if (!isUsable || this.#waiting === 0) await this.#end()
    }
    // Here the memory of the thread is free, most often.
    return new Map([...texts].map(([path, text]) => [path, JSON.parse(text) as unknown[]]))
  }

  #started(): Worker {
    if (this.#worker !== undefined) return this.#worker
    const worker = new Worker(new URL('./yaml-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: this.#heapMb, maxYoungGenerationSizeMb: 8 },
    })
    // After an abort or a time-out nobody waits for its answer, and it may still run out of memory before it has ended.
    worker.on('error', () => {})
    this.#worker = worker
    return worker
  }

  async #end(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    await worker?.terminate()
  }

  /** The documents of a file, as JSON. */
  async #ask(worker: Worker, path: string, content: Buffer, signal: AbortSignal): Promise<string> {
    const timeout = new AbortController()
    const timer = setTimeout(() => timeout.abort(), this.#timeoutMs)
    try {
      worker.postMessage(content.toString())
      const [answer] = (await once(worker, 'message', { signal: AbortSignal.any([signal, timeout.signal]) })) as [
        Answer,
      ]
      if ('error' in answer) throw new BundleError('InvalidManifest', `${path}: ${answer.error}`)
      return answer.documents
    } catch (error) {
      signal.throwIfAborted()
      if (timeout.signal.aborted) throw new YamlTooSlowError(`${path} was not parsed within ${this.#timeoutMs} ms`)
      if ((error as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error
      throw new BundleError('TooLarge', `${path} needs more than ${this.#heapMb} MiB to be parsed`, { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }
}
