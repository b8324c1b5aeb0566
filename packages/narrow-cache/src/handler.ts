import { OptionTypeError } from '@wherry/client'
import type { Handler } from '@wherry/informer'

/**
 * Hears of one object: first its present state, by `add` (with `isInInitialList`), `absent`, or `onTransformFailed` where it is there and
 * can't be transformed; then what happens to it, in order (rules N6, R25). An object that could not be transformed and is gone is absent. Called
 * synchronously; a promise that one returns is watched for rejection and never waited for. What one throws goes to `onError`,
 * and all others still hear the event.
 */
export interface NarrowHandler<C> extends Handler<C> {
  /** Told first where there is no object; told no more when it appears and goes again, which `delete` tells. */
  absent?(about: { readonly key: string }): unknown
}

/** One handler's handle. */
export interface Subscription extends AsyncDisposable {
  /** `namespace/name` of what it is of. */
  readonly key: string
  /** It hears nothing from the call on. The object stays cached until it is idle or evicted. Idempotent. */
  close(): Promise<void>
}

const names = [
  'add',
  'update',
  'delete',
  'absent',
  'onTransformFailed',
] as const satisfies readonly (keyof NarrowHandler<unknown>)[]

/** A handler without any of its functions is a mistake. @throws OptionTypeError */
export function checkHandler(handler: unknown): void {
  const takes = '{ add, update, delete, absent, onTransformFailed }, each a function, at least one'
  const functions = Object(handler)
  const given = names.map(name => functions[name]).filter(one => one !== undefined)
  for (const one of given) if (typeof one !== 'function') throw new OptionTypeError('watch.handler', takes, typeof one)
  if (given.length === 0) throw new OptionTypeError('watch.handler', takes, `none of them (${typeof handler})`)
}
