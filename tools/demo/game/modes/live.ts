import { configMaps, secrets } from '@wherry/client/resources/core'
import type { Surroundings } from '../mode.ts'
import { startOperator } from '../wherry-operator.ts'

/** Reads from the server each time, and keeps nothing: so it receives no change, and has to ask again and again. */
export async function start(around: Surroundings): Promise<() => Promise<void>> {
  const { namespace } = around
  return startOperator(around, {
    reads: ({ client }) => ({
      levels: async name => (await client.get(configMaps, { namespace, name }))?.data,
      licence: async name => (await client.get(secrets, { namespace, name }))?.data,
    }),
    againAfterMs: 2_000,
  })
}
