import type { View } from '@wherry/client'
import { text } from '@wherry/client/internal'
import type { Changed, Deleted } from '@wherry/informer'
import { type Registrar, type ReplaceOptions, type Sink, WatchManager } from '@wherry/watch-manager'
import { UsageError } from '../usage-error.ts'
import type { Source, SourceConnection, SourceTarget } from './source.ts'

/** An event of an object with its newest state. The previous state is not kept. */
export type CursorEvent<C> = Changed<C> | Deleted<C>

/** How a view is received: its first state, its changes, or its whole state once more. */
type Receiving = 'first' | 'live' | 'again'

/**
 * Views that change while the controller runs, watched through a registrar of the operator's watch manager. Use it if you can't declare the views
 * beforehand, for example for kinds that an object names.
 *
 * In this example one primary object names all views. If several do, replace with the union of their views.
 *
 * Events of one object are merged, and carry no previous state. When a view is new, events of its existing objects wait behind those of changes. If
 * objects may have been deleted without an event, all primary objects run.
 *
 * @example
 * ```ts
 * import { type ConfigMap, configMaps } from '@wherry/client/resources/core'
 * import { DynamicViews, type Operator } from '@wherry/controller'
 *
 * const watched = new DynamicViews<ConfigMap>('audited')
 *
 * export function declare(operator: Operator): void {
 *   const all = { namespace: 'arcade', name: 'audit' }
 *   operator.controller('audit').for(configMaps.within({ namespaces: ['arcade'] })).from(watched, () => all)
 *     .reconcile(async ({ object }) => {
 *       await watched.replace([configMaps.within({ namespaces: (object.data?.namespaces ?? 'arcade').split(',') })])
 *     })
 * }
 * ```
 */
export class DynamicViews<C> implements Source<CursorEvent<C>> {
  readonly name: string
  #wanted = new Map<string, View<C>>()
  #registrar: Registrar<C> | undefined

  /**
   * @param name the registrar's name is `controller/CONTROLLER/NAME`
   * @param views the views from the start on
   */
  constructor(name: string, views: Iterable<View<C>> = []) {
    text('dynamicViews.name', name)
    this.name = name
    this.#wanted = new Map(Array.from(views, view => [view.key, view]))
  }

  /** The views that were added and not removed. */
  get intended(): readonly View<C>[] {
    return this.#registrar?.intended ?? [...this.#wanted.values()]
  }

  /** While a controller runs with it: the views that were added and not removed, whether or not the server serves them. Otherwise none. */
  get cached(): readonly View[] {
    return (this.#registrar?.intended ?? []) as readonly View[]
  }

  /** Adds a view. Before the start of the controller, the view is watched from the start on. */
  async add(view: View<C>): Promise<void> {
    this.#wanted.set(view.key, view)
    await this.#registrar?.add(view)
  }

  /** Removes a view. After the call, no event of it arrives. */
  async remove(view: View<C>): Promise<void> {
    this.#wanted.delete(view.key)
    await this.#registrar?.remove(view)
  }

  /** Watches these views and no others; views in both sets are not touched. */
  async replace(views: Iterable<View<C>>, options?: ReplaceOptions): Promise<void> {
    const wanted = [...views]
    this.#wanted = new Map(wanted.map(view => [view.key, view]))
    await this.#registrar?.replace(wanted, options)
  }

  /** @throws UsageError if the views serve another controller */
  connect(target: SourceTarget<CursorEvent<C>>): SourceConnection {
    const { manager, controller, environment } = target
    if (this.#registrar !== undefined) {
      throw new UsageError('SOURCE_TAKEN', `the source ${this.name} serves another controller: create one for each`)
    }
    const registrar = manager(WatchManager).registrar<C>(`controller/${controller}/${this.name}`, sinkOf(target))
    this.#registrar = registrar
    const failed = (error: Error): void => environment.onError(error, { phase: `source ${this.name}` })
    registrar.replace(this.#wanted.values()).catch(failed)
    return {
      synced: signal => registrar.synced({ signal, orAbsent: true }),
      close: async () => {
        this.#registrar = undefined
        await registrar.close().catch(failed)
      },
    }
  }
}

/** A sink that reports the events of a registrar: the first state as initial, and, after a reset, that objects may have been deleted without an event. */
function sinkOf<C>({ tell, missed }: SourceTarget<CursorEvent<C>>): Sink<C> {
  const received = new Map<string, Receiving>()
  return {
    event: event => {
      const { key } = event.view
      const receiving = received.get(key)
      if (event.type === 'reset') received.set(key, receiving === undefined ? 'first' : 'again')
      else if (event.type === 'synced') {
        received.set(key, 'live')
        if (receiving === 'again') missed()
      } else tell(event, receiving !== 'live')
    },
    removed: ({ key }) => {
      received.delete(key)
    },
  }
}
