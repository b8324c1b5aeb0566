import { ApiError, type View } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { Store } from '@wherry/informer'
import { simulate } from '@wherry/testing'
import { describe, expect, it } from 'vitest'
import { Entry } from './entry.ts'
import type { SharedWatch } from './sharing/shared-watch.ts'

/** An entry with a missing resource, and its watch. */
function missing(): { readonly entry: Entry; readonly watch: SharedWatch } {
  const view = configMaps as unknown as View
  const store = new Store<unknown>({ view, environment: simulate(1).environment })
  const [none, no] = [() => undefined, () => false]
  const watch = { isMissing: () => true, tryNow: no, lastError: none, leave: none, state: () => 'missing' }
  const shared = watch as unknown as SharedWatch
  return { entry: new Entry(store, shared, 'wait', 0), watch: shared }
}

describe('a wait for the first state of a resource that is missing', () => {
  it('D7: is rejected at once with a refusal, though it turns out just then that the resource is missing', async () => {
    const { entry, watch } = missing()
    const waiting = entry.whenSynced()
    const refused = new ApiError({ status: 403, message: 'no' }, { method: 'GET', path: '/' })
    entry.known(watch)
    entry.failed(watch, refused)
    await expect(waiting).rejects.toBe(refused)
  })

  it('D4: is rejected at the removal, though it turns out just then that the resource is missing', async () => {
    const { entry, watch } = missing()
    const waiting = entry.whenSynced()
    entry.known(watch)
    entry.end()
    await expect(waiting).rejects.toMatchObject({ code: 'INFORMER_REMOVED' })
  })

  it('D7: goes on waiting when that turns out, unless it need not', async () => {
    const { entry, watch } = missing()
    let over = 0
    const stop = new AbortController()
    const patient = entry.whenSynced(stop.signal).finally(() => over++)
    await entry.whenSynced(undefined, true)
    entry.known(watch)
    await Promise.resolve()
    expect(over).toBe(0)
    stop.abort(new Error('enough'))
    await expect(patient).rejects.toMatchObject({ cause: { message: 'enough' } })
  })
})
