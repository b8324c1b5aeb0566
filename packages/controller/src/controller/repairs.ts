import type { Environment } from '@wherry/client'
import { Damper } from '@wherry/hash-compare/compare'
import type { WorkQueue } from '@wherry/work-queue'
import { Bounded } from '../bounded.ts'
import { plainCause } from './cause.ts'
import { FlappingError } from './errors.ts'
import type { KeyStates } from './key-states.ts'

/** A write that makes an object as desired where it was there, and was not so. */
export interface Repair {
  /** The view's key. */
  readonly view: string
  /** `namespace/name` of the object. */
  readonly object: string
  /** A digest of what is desired: what changes with that is another repair. */
  readonly wanted: string
}

export interface RepairsParts {
  readonly controller: string
  readonly environment: Environment
  readonly queue: WorkQueue
  readonly states: KeyStates
}

/** Counts what a controller's keys repair, and puts repairs off of what somebody else changes again and again (rule H6). */
export class Repairs {
  readonly #parts: RepairsParts
  readonly #damper = new Damper()
  /** What was written last of the objects written lately. */
  readonly #wanted = new Bounded<string>()

  constructor(parts: RepairsParts) {
    this.#parts = parts
  }

  /** How long a repair for a key has to wait still, in milliseconds; 0: not at all. */
  delayMs(key: string, repair: Repair): number {
    const text = textOf(key, repair)
    return this.#wanted.get(text) === repair.wanted ? this.#damper.delayMs(text, this.#now) : 0
  }

  /** A repair is to wait: its key runs again then. That is told once. */
  putOff(key: string, repair: Repair): void {
    const { controller, environment, queue, states } = this.#parts
    const delayMs = this.delayMs(key, repair)
    states.add(key, due)
    queue.add(key, { afterMs: delayMs, priority: queue.priorityOf(key) })
    const text = textOf(key, repair)
    if (this.#damper.wasTold(text)) return
    this.#damper.told(text)
    environment.metrics.count('wherry_apply_flapping_total', { controller })
    const error = new FlappingError(repair.view, repair.object, delayMs)
    environment.onError(error, { phase: `apply ${controller}`, resource: repair.view, key })
  }

  /** An object was written. Where it was there, and the last that was written was the same, somebody else has changed it since. */
  wrote(key: string, repair: Repair, wasThere: boolean): void {
    const text = textOf(key, repair)
    const isSame = this.#wanted.get(text) === repair.wanted
    this.#wanted.set(text, repair.wanted)
    if (!isSame) this.#damper.forget(text)
    else if (wasThere) this.#damper.repaired(text, this.#now)
  }

  get #now(): number {
    return this.#parts.environment.clock.monotonic()
  }
}

function textOf(key: string, { view, object }: Repair): string {
  return `${key} ${view} ${object}`
}

const due = plainCause('reconcile', 'due')
