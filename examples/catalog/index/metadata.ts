import { parse } from 'yaml'
import type { Dependency } from './definitions.ts'
import { IndexEditError } from './errors.ts'
import type { Metadata } from './release.ts'

/** @throws IndexEditError which names the file */
export function metadataOf(object: unknown, path: string): Metadata {
  const found = object as Partial<Metadata> | null
  if (found?.metadata?.name && found.spec) return found as Metadata
  throw new IndexEditError(`${path} is no ClusterServiceVersion`)
}

/** The entries of a bundle's `dependencies.yaml`. @throws IndexEditError which names the file */
export function dependenciesIn(content: Buffer, path: string): readonly Dependency[] {
  const { dependencies } = (yamlIn(content, path) ?? {}) as { dependencies?: unknown }
  const isDependency = (one: Partial<Dependency> | null): boolean =>
    typeof one?.type === 'string' && typeof one.value === 'object' && one.value !== null
  if (Array.isArray(dependencies) && dependencies.every(isDependency)) return dependencies
  throw new IndexEditError(`${path} has no list of dependencies, each with a type and a value`)
}

/** The only document of a YAML file. @throws IndexEditError which names the file */
export function yamlIn(content: Buffer, path: string): unknown {
  try {
    // To compare each key of a map with all others would take minutes for a map of a megabyte: the last one of a name counts.
    return parse(content.toString(), { uniqueKeys: false })
  } catch (error) {
    throw new IndexEditError(`${path}: ${(error as Error).message.split('\n')[0]}`)
  }
}
