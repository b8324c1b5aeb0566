import type { Timer as ClockTimer, ObjectKey } from '@wherry/client'
import { checkOptions, milliseconds, text } from '@wherry/client/internal'
import type { Keys } from './key.ts'
import type { Source, SourceConnection, SourceTarget } from './source.ts'

/** A tick of the timer. */
export interface Tick {
  /** How many ticks came before. */
  readonly count: number
}

/** Options of a {@link Timer}. */
export interface TimerOptions {
  /** The interval, in milliseconds; 1 or more. */
  readonly everyMs: number
  /** For errors and `explain`. @default 'timer' */
  readonly name?: string | undefined
}

/**
 * Makes keys run at an interval: all keys of the controller, at low priority, or those that it maps the tick to.
 *
 * @example
 * ```ts
 * import { configMaps } from '@wherry/client/resources/core'
 * import { type Operator, Timer } from '@wherry/controller'
 *
 * export function declare(operator: Operator): void {
 *   operator.controller('report').for(configMaps).from(new Timer({ everyMs: 3_600_000 }))
 *     .reconcile(({ key, log }) => log.info({}, `${key.name} is looked at once an hour`))
 * }
 * ```
 */
export class Timer implements Source<Tick> {
  readonly name: string
  readonly everyMs: number
  readonly isBackground = true

  /** @throws OptionTypeError, OptionRangeError */
  constructor(options: TimerOptions) {
    checkOptions('timer', options, { everyMs: milliseconds({ min: 1 }), name: text }, ['everyMs'])
    this.name = options.name ?? 'timer'
    this.everyMs = options.everyMs
  }

  defaultKeys(_tick: unknown, all: () => Iterable<ObjectKey>): Keys {
    return all()
  }

  connect({ environment, tell }: SourceTarget<Tick>): SourceConnection {
    let timer: ClockTimer
    let count = 0
    const set = (): void => {
      timer = environment.clock.timer(this.everyMs, () => {
        set()
        tell({ count: count++ })
      })
    }
    set()
    return { synced: async () => {}, close: async () => timer.cancel() }
  }
}
