import { configMaps, secrets } from '@wherry/client/resources/core'
import type { Surroundings } from '../mode.ts'
import { startOperator } from '../wherry-operator.ts'

const ours = configMaps.within({ labels: { 'app.kubernetes.io/managed-by': 'memory-game' } })

/** As `narrow`; and the status is applied, and so is an object that the game owns, which is watched. */
export async function start(around: Surroundings): Promise<() => Promise<void>> {
  return startOperator(around, {
    declare: controller => controller.owns(ours),
    reads: ({ read }) => ({
      levels: async name => (await read.get(configMaps, { name }))?.data,
      licence: async name => (await read.get(secrets, { name }))?.data,
    }),
    write: async ({ object, apply, status }, digest) => {
      await apply(ours, { metadata: { name: `${object.metadata.name}-digest` }, data: { digest } })
      await status({ digest })
    },
  })
}
