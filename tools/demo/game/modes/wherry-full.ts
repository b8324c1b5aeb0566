import { configMaps, secrets } from '@wherry/client/resources/core'
import type { Surroundings } from '../mode.ts'
import { startOperator } from '../wherry-operator.ts'

/** Keeps both kinds whole, as most operators do: what it reads is read from these caches. */
export async function start(around: Surroundings): Promise<() => Promise<void>> {
  const scope = { namespaces: [around.namespace] }
  return startOperator(around, {
    declare: controller => controller.caches(configMaps.within(scope)).caches(secrets.within(scope)),
    reads: ({ read }) => ({
      levels: async name => (await read.get(configMaps, { name }))?.data,
      licence: async name => (await read.get(secrets, { name }))?.data,
    }),
  })
}
