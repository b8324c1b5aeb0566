import { readFile } from 'node:fs/promises'
import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
import { readYaml, YamlError } from '@wherry/crd/yaml'
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
  const definitions = documentsOf(content, path).flatMap(definitionsIn)
  if (definitions.length === 0)
    throw new UsageError(`${path} has no CustomResourceDefinition of apiextensions.k8s.io/v1`)
  return definitions
}

/** The documents as kubectl reads them. */
function documentsOf(content: string, path: string): readonly unknown[] {
  try {
    return readYaml(content)
  } catch (error) {
    if (error instanceof YamlError) throw new UsageError(`${path} is no YAML that kubectl reads: ${error.message}`)
    throw error
  }
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
