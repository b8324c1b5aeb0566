import { text } from '@wherry/client/internal'
import { UsageError } from '../usage-error.ts'
import type { Keys } from './key.ts'
import type { Source, SourceConnection, SourceTarget } from './source.ts'

/**
 * Lets your code make keys run, for example for a webhook or a message of another system. A value is mapped to keys at once, so nothing is
 * buffered. Several controllers may use one channel.
 *
 * @example
 * ```ts
 * import { configMaps } from '@wherry/client/resources/core'
 * import { Channel, type Operator } from '@wherry/controller'
 *
 * const pushes = new Channel<{ namespace: string; name: string }>('pushes')
 *
 * export function declare(operator: Operator): void {
 *   operator.controller('deploy').for(configMaps).from(pushes).reconcile(({ key, log }) => log.info({}, `a push to ${key.name}`))
 * }
 * export const onPush = (name: string): void => pushes.send({ namespace: 'arcade', name })
 * ```
 */
export class Channel<V> implements Source<V> {
  readonly name: string
  readonly #targets = new Set<SourceTarget<V>>()

  /** @param name for errors and `explain` */
  constructor(name: string) {
    text('channel.name', name)
    this.name = name
  }

  /** The number of controllers that use the channel. */
  get connections(): number {
    return this.#targets.size
  }

  /** Sends a value to the controllers. @throws UsageError if no controller is started, because the value would be lost */
  send(value: V): void {
    if (this.#targets.size === 0) {
      const message = `no controller uses the channel ${this.name}: none has started, or all have stopped`
      throw new UsageError('CHANNEL_NOT_CONNECTED', message)
    }
    for (const target of [...this.#targets]) target.tell(value)
  }

  /** The value is the key, if the controller has no map. */
  defaultKeys(value: unknown): Keys {
    return value as Keys
  }

  connect(target: SourceTarget<V>): SourceConnection {
    this.#targets.add(target)
    return {
      synced: async () => {},
      close: async () => {
        this.#targets.delete(target)
      },
    }
  }
}
