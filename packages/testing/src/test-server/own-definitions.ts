import { relative, sep } from 'node:path'
import type { ManifestSource } from '@wherry/apiserver'
import { manifestsOf } from '@wherry/apiserver/internal'

/**
 * The definitions among `sources` that the project can change, by name: objects, YAML texts, and files below the working directory. Files in
 * `node_modules`, or elsewhere, belong to others.
 */
export function ownDefinitions(sources: readonly ManifestSource[]): ReadonlySet<string> {
  const own = sources.filter(source => typeof source !== 'string' || source.includes('\n') || isBelow(source))
  const definitions = own.flatMap(manifestsOf).filter(({ kind }) => kind === 'CustomResourceDefinition')
  return new Set(definitions.map(({ name }) => name))
}

function isBelow(path: string): boolean {
  const [first, ...folders] = relative(process.cwd(), path).split(sep)
  return first !== '..' && ![first, ...folders].includes('node_modules')
}

/** The name of the definition (`games.arcade.example.com`) that an `ATOMIC_CONDITIONS` error is about. */
export function atomicConditionsOf(error: Error): string | undefined {
  const { code, resource } = error as { readonly code?: unknown; readonly resource?: unknown }
  if (code !== 'ATOMIC_CONDITIONS' || typeof resource !== 'string') return undefined
  const [group, , plural] = resource.split('/')
  return `${plural}.${group}`
}
