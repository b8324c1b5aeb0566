import { configMaps, secrets } from '@wherry/client/resources/core'
import type { Surroundings } from '../mode.ts'
import { startOperator } from '../wherry-operator.ts'

/** Tracked reads: it watches what it has read, by its name, and nothing else. */
export async function start(around: Surroundings): Promise<() => Promise<void>> {
  return startOperator(around, {
    reads: ({ read }) => ({
      levels: async name => (await read.get(configMaps, { name }))?.data,
      licence: async name => (await read.get(secrets, { name }))?.data,
    }),
  })
}
