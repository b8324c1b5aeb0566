import type { ChangeType } from '@wherry/client'
import type { ReplaceOptions, Snapshot, StoreWriter } from '../store/store-writer.ts'

interface Received {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly resourceVersion: string }
}

/** A writer without a store: it records each call in a line, and keeps the objects by name. */
export class RecordingWriter implements StoreWriter {
  readonly log: string[] = []
  readonly objects: Map<string, Received> = new Map()
  /** Called with every line. */
  received: (line: string) => void = () => {}
  synced: boolean = false
  bytes: number = 0
  /** The option `reuse` of each snapshot. */
  readonly reuses: boolean[] = []
  /** The number of calls of `progress`. */
  progressed: number = 0
  #open = 0

  /** Replacements that were neither committed nor dropped. */
  get open(): number {
    return this.#open
  }

  get names(): string[] {
    return [...this.objects.keys()].sort()
  }

  #say(line: string): void {
    this.log.push(line)
    this.received(line)
  }

  replace({ reuse = true }: ReplaceOptions = {}): Snapshot {
    this.reuses.push(reuse)
    const next = new Map<string, Received>()
    let isOpen = true
    this.#open += 1
    const close = (): boolean => {
      const was = isOpen
      if (isOpen) this.#open -= 1
      isOpen = false
      return was
    }
    return {
      put: (object, bytes) => {
        if (!isOpen) throw new Error('put after the end')
        this.bytes += bytes
        next.set(nameOf(object), object as Received)
      },
      remove: object => {
        if (!isOpen) throw new Error('remove after the end')
        next.delete(nameOf(object))
      },
      commit: resourceVersion => {
        if (!close()) throw new Error('commit after the end')
        this.objects.clear()
        for (const [name, object] of next) this.objects.set(name, object)
        this.synced = true
        this.#say(`commit ${this.names.join(' ')} at ${resourceVersion}`.replace('  ', ' '))
      },
      drop: () => {
        if (close()) this.#say('drop')
      },
    }
  }

  change(type: ChangeType, object: object, bytes: number): void {
    if (type === 'DELETED') this.objects.delete(nameOf(object))
    else this.objects.set(nameOf(object), object as Received)
    this.bytes += bytes
    this.#say(`${type} ${nameOf(object)}`)
  }

  progress(): void {
    this.progressed += 1
  }

  clear(): void {
    this.objects.clear()
    this.#say('clear')
  }

  close(): void {
    this.#say('close')
  }
}

function nameOf(object: object): string {
  return (object as Received).metadata.name
}
