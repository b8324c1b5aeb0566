import type { View } from '@wherry/client'

/** Another open registrar has this name (rule W1). */
export class RegistrarNameTakenError extends Error {
  override readonly name = 'RegistrarNameTakenError'
  readonly code = 'REGISTRAR_NAME_TAKEN'
  readonly registrar: string

  constructor(registrar: string) {
    super(`the name ${registrar} is taken by another registrar: close it first, or choose another name`)
    this.registrar = registrar
  }
}

/**
 * The registrar was closed and takes no more views.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { configMaps } from '@wherry/client/resources/core'
 * import { DynamicCache } from '@wherry/dynamic-cache'
 * import { RegistrarClosedError, WatchManager } from '@wherry/watch-manager'
 *
 * const manager = new WatchManager({ cache: new DynamicCache({ client: await Client.connect() }) })
 * const audit = manager.registrar('audit', event => console.log(event.type))
 * await audit.close()
 * await audit.add(configMaps).catch(error => {
 *   console.log(error instanceof RegistrarClosedError) // true: make another registrar
 * })
 * ```
 */
export class RegistrarClosedError extends Error {
  override readonly name = 'RegistrarClosedError'
  readonly code = 'REGISTRAR_CLOSED'
  readonly registrar: string

  constructor(registrar: string) {
    super(`the registrar ${registrar} was closed`)
    this.registrar = registrar
  }
}

/** The watch manager was closed. */
export class WatchManagerClosedError extends Error {
  override readonly name = 'WatchManagerClosedError'
  readonly code = 'WATCH_MANAGER_CLOSED'

  constructor() {
    super('the watch manager was closed')
  }
}

/** A view that can't be watched, and why. */
export interface FailedView {
  readonly view: View
  readonly reason: Error
}

/**
 * Some views could not be watched; all others could (rule W4). The cause is the first reason.
 *
 * @example
 * ```ts
 * import { Client } from '@wherry/client'
 * import { secrets } from '@wherry/client/resources/core'
 * import { DynamicCache } from '@wherry/dynamic-cache'
 * import { ViewsFailedError, WatchManager } from '@wherry/watch-manager'
 *
 * const manager = new WatchManager({ cache: new DynamicCache({ client: await Client.connect() }) })
 * manager.start()
 * const audit = manager.registrar('audit')
 * await audit.add(secrets)
 * await audit.synced().catch(error => {
 *   if (error instanceof ViewsFailedError) console.error(error.views.map(({ view }) => view.key))
 * })
 * ```
 */
export class ViewsFailedError extends Error {
  override readonly name = 'ViewsFailedError'
  readonly code = 'VIEWS_FAILED'
  readonly registrar: string
  readonly views: readonly FailedView[]

  constructor(registrar: string, views: readonly FailedView[]) {
    const lines = views.map(({ view, reason }) => `\n  ${view.key}: ${reason.message}`).join('')
    super(
      `the registrar ${registrar} can't watch ${views.length === 1 ? 'a view' : `${views.length} views`}:${lines}`,
      {
        cause: views[0]?.reason,
      },
    )
    this.registrar = registrar
    this.views = views
  }
}

/** Another `replace` started before this one had finished. This one had no effect. */
export class ReplaceSupersededError extends Error {
  override readonly name = 'ReplaceSupersededError'
  readonly code = 'REPLACE_SUPERSEDED'
  readonly registrar: string

  constructor(registrar: string) {
    super(`another replace of the registrar ${registrar} replaced this one`)
    this.registrar = registrar
  }
}

/** Something was closed while calls to a sink were running, and they did not return in time (rule R23). Sent to `onError`. */
export class SinkStillRunningError extends Error {
  override readonly name = 'SinkStillRunningError'
  readonly code = 'SINK_STILL_RUNNING'
  readonly registrar: string
  /**
   * The subjects of these calls: keys of objects, or `reset`, `synced`, `rescoped`. For functions of `ifWatching`, the keys of their views. `its watch`
   * if only the watch has not ended.
   */
  readonly calls: readonly string[]

  constructor(registrar: string, view: string, calls: readonly string[]) {
    super(`the sink of the registrar ${registrar} is still at work on ${calls.join(', ')} of ${view}`)
    this.registrar = registrar
    this.calls = calls
  }
}

/** Throws if some views failed; throws the signal's reason if the failures have no other cause. */
export function throwFailed(registrar: string, failed: readonly FailedView[], signal: AbortSignal | undefined): void {
  if (failed.length === 0) return
  const isOf = (reason: Error): boolean => reason === signal?.reason || reason.cause === signal?.reason
  if (signal?.aborted && failed.every(({ reason }) => isOf(reason))) throw signal.reason
  throw new ViewsFailedError(registrar, failed)
}
