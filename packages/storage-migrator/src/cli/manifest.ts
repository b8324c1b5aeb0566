import { readFile } from 'node:fs/promises'
import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
import { type DocumentOptions, type ParseOptions, parseAllDocuments, type SchemaOptions } from 'yaml'
import { UsageError } from './arguments.ts'

/**
 * Reads the definitions in a manifest of YAML or JSON. Skips other objects.
 *
 * @throws UsageError for a file that can't be read or parsed, or has no definition.
 */
export async function readManifest(path: string): Promise<CustomResourceDefinition[]> {
  const content = await readFile(path, 'utf8').catch(error => {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`)
  })
  if (/[\u0085\u2028\u2029]/.test(content) && !content.trimStart().startsWith('{'))
    throw new UsageError(`${path} has a character that ends a line for kubectl, such as U+2028: write it as an escape`)
  const documents = parseAllDocuments(content, asKubectl)
  const problem = documents.flatMap(({ errors }) => errors)[0]
  if (problem !== undefined) throw new UsageError(`${path} is no YAML: ${problem.message}`)
  const definitions = documents.flatMap(document => definitionsIn(document.toJS({ maxAliasCount: 100 })))
  if (definitions.length === 0)
    throw new UsageError(`${path} has no CustomResourceDefinition of apiextensions.k8s.io/v1`)
  return definitions
}

/** YAML 1.1 with merge keys. As kubectl does, it reads times and numbers to the base of sixty as texts. */
const asKubectl = {
  ...{ version: '1.1', merge: true },
  customTags: tags =>
    tags.filter(tag => typeof tag === 'string' || !(tag.tag.endsWith(':timestamp') || tag.format === 'TIME')),
} satisfies ParseOptions & DocumentOptions & SchemaOptions

function definitionsIn(value: unknown): CustomResourceDefinition[] {
  const { apiVersion, kind, items, metadata, spec } = (value ?? {}) as Partial<CustomResourceDefinition> & {
    readonly items?: unknown
  }
  if (kind === 'List' && Array.isArray(items)) return items.flatMap(definitionsIn)
  if (kind !== 'CustomResourceDefinition' || apiVersion !== 'apiextensions.k8s.io/v1') return []
  if (typeof metadata?.name !== 'string' || !Array.isArray(spec?.versions)) return []
  return [value as CustomResourceDefinition]
}
