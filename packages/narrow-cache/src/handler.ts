import { OptionTypeError } from '@wherry/client'
import type { Handler } from '@wherry/informer'

/**
 * The callbacks for events of one object. First comes its present state: `add` (with `isInInitialList`), `absent`, or `onTransformFailed` if it
 * exists and can't be transformed. Then come its changes, in order (rules N6, R25). Callbacks are called synchronously. If a callback returns a
 * promise, the promise is not awaited, and a rejection goes to `onError`. If a callback throws, the error goes to `onError`, and other handlers still
 * get the event.
 */
export interface NarrowHandler<C> extends Handler<C> {
  /**
   * The object does not exist when the subscription starts, or has gone before it could be transformed. Later deletions are reported by `delete`, not
   * here.
   */
  absent?(about: { readonly key: string }): unknown
}

/** The subscription of one handler. */
export interface Subscription extends AsyncDisposable {
  /** `namespace/name` of the object. */
  readonly key: string
  /** Ends the subscription: after the call the handler receives nothing. The object stays cached until it is not read for `idleMs`, or evicted. Idempotent. */
  close(): Promise<void>
}

const names = [
  'add',
  'update',
  'delete',
  'absent',
  'onTransformFailed',
] as const satisfies readonly (keyof NarrowHandler<unknown>)[]

/** Throws unless a handler has at least one function. @throws OptionTypeError */
export function checkHandler(handler: unknown): void {
  const takes = '{ add, update, delete, absent, onTransformFailed }, each a function, at least one'
  const functions = Object(handler)
  const given = names.map(name => functions[name]).filter(one => one !== undefined)
  for (const one of given) if (typeof one !== 'function') throw new OptionTypeError('watch.handler', takes, typeof one)
  if (given.length === 0) throw new OptionTypeError('watch.handler', takes, `none of them (${typeof handler})`)
}
