import { readFile } from 'node:fs/promises'
import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
import { parseAllDocuments } from 'yaml'
import { UsageError } from './arguments.ts'

/**
 * The definitions in a manifest of YAML or JSON; other objects in it are skipped.
 *
 * @throws UsageError for a file that can't be read or parsed, or has no definition.
 */
export async function readManifest(path: string): Promise<CustomResourceDefinition[]> {
  const content = await readFile(path, 'utf8').catch(error => {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`)
  })
  const documents = parseAllDocuments(content)
  const problem = documents.flatMap(({ errors }) => errors)[0]
  if (problem !== undefined) throw new UsageError(`${path} is no YAML: ${problem.message}`)
  const definitions = documents.flatMap(document => definitionsIn(document.toJS({ maxAliasCount: 100 })))
  if (definitions.length === 0)
    throw new UsageError(`${path} has no CustomResourceDefinition of apiextensions.k8s.io/v1`)
  return definitions
}

function definitionsIn(value: unknown): CustomResourceDefinition[] {
  const { apiVersion, kind, items, metadata, spec } = (value ?? {}) as Partial<CustomResourceDefinition> & {
    readonly items?: unknown
  }
  if (kind === 'List' && Array.isArray(items)) return items.flatMap(definitionsIn)
  if (kind !== 'CustomResourceDefinition' || apiVersion !== 'apiextensions.k8s.io/v1') return []
  if (typeof metadata?.name !== 'string' || !Array.isArray(spec?.versions)) return []
  return [value as CustomResourceDefinition]
}
