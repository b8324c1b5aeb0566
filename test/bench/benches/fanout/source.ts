import { type Child, startChild } from '../../harness/child.ts'

export type SourceOrder =
  | { readonly what: 'start'; readonly objects: number }
  | { readonly what: 'burst'; readonly count: number; readonly keys: number; readonly perSecond?: number | undefined }
  | { readonly what: 'count' }

export interface SourceAnswer {
  readonly url: string
  /** Since the start. */
  readonly requests: number
  /** Of bodies that were sent, since the start. */
  readonly bytes: number
}

const timeoutMs = 110_000

/** The watched API, in a process of its own. */
export class Source {
  readonly #child: Child
  url = ''

  constructor() {
    this.#child = startChild(new URL('./source-entry.ts', import.meta.url), 'the source')
  }

  async start(objects: number): Promise<void> {
    const { url } = await this.#ask({ what: 'start', objects })
    this.url = url
  }

  /** Changes objects in turn, `keys` of them, `count` times; the last one is the first object. */
  async burst(count: number, keys: number, perSecond?: number): Promise<void> {
    await this.#ask({ what: 'burst', count, keys, perSecond })
  }

  count(): Promise<SourceAnswer> {
    return this.#ask({ what: 'count' })
  }

  close(): Promise<void> {
    return this.#child.close()
  }

  async #ask(order: SourceOrder): Promise<SourceAnswer> {
    return (await this.#child.ask(order, timeoutMs)) as SourceAnswer
  }
}
