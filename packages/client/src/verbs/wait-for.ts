import { Backoff } from '../backoff.ts'
import { ApiError } from '../errors/api-error.ts'
import { callback, checkOptions } from '../errors/check.ts'
import { mayPass } from '../errors/may-pass.ts'
import { OptionTypeError } from '../errors/option.ts'
import type { ObjectKey, Scope } from '../views/object.ts'
import type { View } from '../views/resource.ts'
import { ignored, watched } from '../watched.ts'
import type { Caller } from './caller.ts'
import { list } from './list.ts'
import { type CallOptions, callChecks } from './options.ts'
import { objectTarget } from './target.ts'
import { watch } from './watch.ts'

/** Watches one object until `isTrue` returns true for it. Retries after failures of the server and of the connection. @throws the errors of `isTrue`, OptionTypeError */
export async function waitFor<C, S extends Scope>(
  caller: Caller,
  view: View<C, S>,
  key: ObjectKey<S>,
  isTrue: (object: C | undefined) => boolean,
  options: CallOptions = {},
): Promise<C | undefined> {
  checkOptions('waitFor', options, callChecks)
  callback('waitFor.isTrue', isTrue)
  const about = { method: 'GET', ...objectTarget(view, key) }
  const fields = { 'metadata.name': key.name }
  const { namespace } = key as { readonly namespace?: string }
  const one = view.within((namespace === undefined ? { fields } : { fields, namespaces: [namespace] }) as never)
  const backoff = new Backoff(caller.environment)
  // An error of the caller's function ends the wait, also an error after which a read would be repeated.
  let isOwnError = false
  const holds = (object: C | undefined): boolean => {
    isOwnError = true
    const answer: unknown = isTrue(object)
    if (typeof answer !== 'boolean') {
      watched(answer, ignored)
      throw new OptionTypeError('waitFor.isTrue', 'a function that returns true or false, at once', typeof answer)
    }
    isOwnError = false
    return answer
  }
  return caller.whole(options, about, async (inner, { signal }) => {
    for (;;) {
      try {
        const { items, resourceVersion } = await list(inner, one)
        if (holds(items[0])) return items[0]
        for await (const event of watch(caller, one, { signal, resourceVersion })) {
          if (event.type === 'BOOKMARK') continue
          const object = event.type === 'DELETED' ? undefined : event.object
          if (holds(object)) return object
        }
        // A server may end each watch at once.
        await backoff.wait(signal)
      } catch (error) {
        if (signal.aborted) throw signal.reason
        if (isOwnError || !mayPass(error)) throw error
        await backoff.wait(signal, error instanceof ApiError ? error.retryAfterMs : 0)
      }
    }
  })
}
