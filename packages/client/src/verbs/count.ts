import { checkOptions } from '../errors/check.ts'
import { listQuery } from '../list/query.ts'
import { type ReadTarget, targetsOf } from '../list/target.ts'
import type { Resource, View } from '../views/resource.ts'
import type { Caller } from './caller.ts'
import { collected } from './list.ts'
import { type CallOptions, callChecks } from './options.ts'

/** Counts the objects of a view, by one object and the server's count of the rest if it gives one. */
export async function count(caller: Caller, view: View, options: CallOptions = {}): Promise<number> {
  checkOptions('count', options, callChecks)
  const counted = view.projection.kind === 'metadata' ? view : (view as Resource<object>).metadata()
  const nothing = (): undefined => undefined
  const targets = targetsOf(counted)
  return caller.whole(options, { method: 'GET', ...(targets[0] as ReadTarget) }, async inner => {
    let sum = 0
    for (const target of targets) {
      const page = await collected(inner, target, listQuery(target.selection, {}, 1), nothing, {})
      if (page.continue === undefined) sum += page.items.length
      else if (page.remainingItemCount !== undefined && target.shard === undefined)
        sum += page.items.length + page.remainingItemCount
      // With a selector, the server does not return a count; with a shard, some count the objects of all shards.
      else sum += (await collected(inner, target, listQuery(target.selection, {}), nothing, {})).items.length
    }
    return sum
  })
}
