import { builtinResources } from './builtin-resources.ts'
import type { Cluster } from './cluster.ts'
import type { Generated } from './generated-file.ts'
import { resourceTypes } from './resource-types.ts'

/** Runs every generator against one server. */
export async function generateAll(cluster: Cluster): Promise<Generated[]> {
  return [await builtinResources(cluster), await resourceTypes(cluster)]
}
