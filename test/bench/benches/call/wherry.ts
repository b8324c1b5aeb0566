import { configMaps } from '@wherry/client/resources/core'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { microsecondsPerCall } from '../../harness/calls.ts'
import { clientFor } from '../../server/wherry.ts'
import { someKey } from './some-key.ts'

/** Our client, on one connection. */
export async function run(context: SubjectContext): Promise<Metrics> {
  await using client = clientFor(context.server())
  const { namespace, name } = someKey()
  const call = async (): Promise<void> => {
    if ((await client.get(configMaps, { namespace, name })) === undefined) throw new Error(`no ${namespace}/${name}`)
  }
  const get_us = await microsecondsPerCall(call, 1)
  const get50_us = await microsecondsPerCall(call, 50)
  return { get_us, get50_us }
}
