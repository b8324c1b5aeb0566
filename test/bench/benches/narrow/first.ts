import { configMaps } from '@wherry/client/resources/core'
import { NarrowCache } from '@wherry/narrow-cache'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { microsecondsPerCall } from '../../harness/calls.ts'
import { clientFor } from '../../server/wherry.ts'
import { keys } from './keys.ts'

/** Gets that open a watch each, and let it go. */
export async function run(context: SubjectContext): Promise<Metrics> {
  await using client = clientFor(context.server())
  await using narrow = new NarrowCache({ client, idleMs: 0 })
  const [other, ...wanted] = keys(1001)
  if (other === undefined) throw new Error('no object was generated')
  // One that stays, as in any program: the view is not made and dropped with each get.
  await using _ = await narrow.watch(configMaps, other, { update() {} })
  let next = 0
  const get_us = await microsecondsPerCall(async () => {
    const key = wanted[next++ % wanted.length]
    if (key === undefined || (await narrow.get(configMaps, key)) === undefined)
      throw new Error('an object was not found')
  }, 1)
  return { get_us }
}
