import { builtinResources } from './builtin-resources.ts'
import type { Cluster } from './cluster.ts'
import { discover } from './discovery.ts'
import { fieldTypes } from './field-types.ts'
import type { Generated } from './generated-file.ts'
import { openapiDocuments } from './openapi-documents.ts'
import { resourceTypes } from './resource-types.ts'

/** Runs every generator against one server. */
export async function generateAll(cluster: Cluster): Promise<Generated[]> {
  // Once, before anything is created: a CustomResourceDefinition would be found too.
  const resources = await discover(cluster)
  return [
    await builtinResources(cluster, resources),
    await fieldTypes(cluster, resources),
    await resourceTypes(cluster, resources),
    // Last: it creates definitions.
    await openapiDocuments(cluster),
  ]
}
