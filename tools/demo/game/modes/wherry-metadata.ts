import { configMaps, secrets } from '@wherry/client/resources/core'
import { chess } from '../game.ts'
import type { Surroundings } from '../mode.ts'
import { startOperator } from '../wherry-operator.ts'

/** Watches the metadata of both kinds, which shows what has changed. The objects themselves are read from the server then. */
export async function start(around: Surroundings): Promise<() => Promise<void>> {
  const { namespace } = around
  const scope = { namespaces: [namespace] }
  // What tracked reads make needless: which game needs an object, said once more.
  const neededBy = ({ metadata }: { readonly metadata: { readonly name?: string | undefined } }) =>
    metadata.name === chess.levels || metadata.name === chess.licence ? { namespace, name: chess.game } : undefined
  return startOperator(around, {
    declare: controller =>
      controller
        .watches(configMaps.within(scope).metadata(), neededBy)
        .watches(secrets.within(scope).metadata(), neededBy),
    reads: ({ client }) => ({
      levels: async name => (await client.get(configMaps, { namespace, name }))?.data,
      licence: async name => (await client.get(secrets, { namespace, name }))?.data,
    }),
  })
}
