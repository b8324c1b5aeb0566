import { Backoff } from '../backoff.ts'
import { ApiError } from '../errors/api-error.ts'
import { callback, checkOptions } from '../errors/check.ts'
import { mayPass } from '../errors/may-pass.ts'
import type { ObjectKey, Scope } from '../views/object.ts'
import type { View } from '../views/resource.ts'
import type { Caller } from './caller.ts'
import { list } from './list.ts'
import { type CallOptions, callChecks } from './options.ts'
import { objectTarget } from './target.ts'
import { watch } from './watch.ts'

/** Watches one object until `isTrue` returns true for it. Retries after failures of the server and of the connection. */
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
  return caller.whole(options, about, async (inner, { signal }) => {
    for (;;) {
      try {
        const { items, resourceVersion } = await list(inner, one)
        if (isTrue(items[0])) return items[0]
        for await (const event of watch(caller, one, { signal, resourceVersion })) {
          if (event.type === 'BOOKMARK') continue
          const object = event.type === 'DELETED' ? undefined : event.object
          if (isTrue(object)) return object
        }
        // A server may end each watch at once.
        await backoff.wait(signal)
      } catch (error) {
        if (signal.aborted) throw signal.reason
        if (!mayPass(error)) throw error
        await backoff.wait(signal, error instanceof ApiError ? error.retryAfterMs : 0)
      }
    }
  })
}
