import type { ChangeType } from '@wherry/client'
import { type Intake, Reflector, type Replacement } from '@wherry/informer'
import type { Bucket } from './bucket.ts'
import type { Level } from './level.ts'
import type { Asked } from './state.ts'

/** How long a watch is asked to last: many short ones would make requests all the time (rule N11). */
export const timeoutSeconds: { readonly min: number; readonly max: number } = { min: 1800, max: 3600 }

/** A state of one object: it, or its absence. */
export interface Known {
  readonly object: object | undefined
  readonly bytes: number
  /** Of the list, the object, or its deletion: how new it is. */
  readonly resourceVersion: string | undefined
}

/** Who is fed by a {@link Source}. */
export interface Fed {
  /** A list of it is about to be asked for. */
  asked(): Asked
  failed(source: Source, error: Error): void
  /**
   * @param asked what was known when that was asked for, where that is a most recent state
   * @param isBack the server counts anew: it was restored from a backup
   */
  state(source: Source, known: Known, asked: Asked | undefined, isBack: boolean): void
  change(source: Source, type: ChangeType, object: object, bytes: number): void
  gone(source: Source): void
  progress(source: Source): void
}

/** Makes a watch of one object, which is still to be started. */
export function openSource(fed: Fed, bucket: Bucket, name: string, level: Level): Source {
  const { shared, environment } = bucket.kind
  const { maxObjectBytes } = shared.settings
  const source = new Source(fed, name, level)
  source.reflector = new Reflector({
    client: { context: shared.context, environment },
    target: bucket.target(level, name),
    firstList: 'newest',
    streaming: shared.streaming,
    gate: shared.gate,
    timeoutSeconds,
    maxObjectBytes,
    on: { error: error => fed.failed(source, error) },
  })
  source.reflector.add(source)
  return source
}

/** What a reflector of one name writes to. */
export class Source implements Intake {
  synced = false
  /** Set when it is made. */
  reflector!: Reflector
  /** What it has come to, while more than that is known already. */
  behind: Known | undefined
  readonly level: Level
  readonly #fed: Fed
  readonly #name: string

  constructor(fed: Fed, name: string, level: Level) {
    this.#fed = fed
    this.#name = name
    this.level = level
  }

  replace(): Replacement {
    const asked = this.#fed.asked()
    const { rollbacks } = this.reflector.stats
    let object: object | undefined
    let bytes = 0
    return {
      put: (received, length) => {
        // From a server that does not know the selector.
        if (nameOf(received) !== this.#name) return
        object = received
        bytes = length
      },
      remove: removed => {
        if (nameOf(removed) !== this.#name) return
        object = undefined
        bytes = 0
      },
      commit: resourceVersion => {
        const isBack = this.reflector.stats.rollbacks > rollbacks
        const isNewest = isBack || !this.synced
        this.synced = true
        this.#fed.state(this, { object, bytes, resourceVersion }, isNewest ? asked : undefined, isBack)
      },
      drop() {},
    }
  }

  change(type: ChangeType, object: object, bytes: number): void {
    if (nameOf(object) === this.#name) this.#fed.change(this, type, object, bytes)
  }

  progress(): void {
    this.#fed.progress(this)
  }

  clear(): void {
    this.#fed.gone(this)
  }

  close(): void {}
}

/** Which object it is, and which state of it. */
export interface Version {
  readonly uid: string | undefined
  readonly resourceVersion: string | undefined
}

export function versionOf(object: object): Version {
  const { uid, resourceVersion } = (object as { metadata?: { uid?: string; resourceVersion?: string } }).metadata ?? {}
  return { uid, resourceVersion }
}

/** Of an object as received. */
export function nameOf(object: object): string {
  return (object as { readonly metadata: { readonly name: string } }).metadata.name
}
