import { pathToFileURL } from 'node:url'
import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
import { refused } from '../failure.ts'

/**
 * The definitions that a module exports: what `defineCustomResource` returned, by whatever name. Node runs TypeScript as it is.
 *
 * @param file an absolute path
 * @param shown the path as the user wrote it
 */
export async function exportedDefinitions(file: string, shown: string): Promise<readonly CustomResourceDefinition[]> {
  let module: Readonly<Record<string, unknown>>
  try {
    module = await import(/* @vite-ignore */ pathToFileURL(file).href)
  } catch (error) {
    throw refused(`${shown} can't be loaded: ${(error as Error).message}`, error)
  }
  const definitions = new Set(Object.values(module).map(definitionOf))
  const found = [...definitions].filter(one => one !== undefined)
  if (found.length > 0) return found
  throw refused(
    `${shown} has no definition. Give an interface the tag @group, or export what defineCustomResource returns.`,
  )
}

function definitionOf(exported: unknown): CustomResourceDefinition | undefined {
  const { definition } = Object(exported) as { definition?: Partial<CustomResourceDefinition> }
  return definition?.kind === 'CustomResourceDefinition' ? (definition as CustomResourceDefinition) : undefined
}
