import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { KubernetesObject, View } from '@wherry/client'
import { refused } from '../failure.ts'

/** The part of a conversion of `@wherry/webhook` that this command needs. */
export interface CheckedConversion {
  /** The name of the definition. */
  readonly name: string
  readonly hub: View
  /** The hub's version first. */
  readonly versions: readonly string[]
  roundTrip(object: KubernetesObject, version: string): Promise<{ readonly lost: readonly string[] }>
}

/**
 * The conversions that modules export. Node runs TypeScript as it is.
 *
 * @param files the paths as the user wrote them
 * @throws CommandFailure if a module can't be loaded, or exports no conversion
 */
export async function exportedConversions(
  files: readonly string[],
  cwd: string,
): Promise<readonly CheckedConversion[]> {
  const found = new Map<string, CheckedConversion>()
  for (const file of files) {
    let module: Readonly<Record<string, unknown>>
    try {
      module = await import(/* @vite-ignore */ pathToFileURL(resolve(cwd, file)).href)
    } catch (error) {
      throw refused(`${file} can't be loaded: ${(error as Error).message}`, error)
    }
    const conversions = new Set(Object.values(module).filter(isConversion))
    if (conversions.size === 0)
      throw refused(`${file} has no conversion. Export what new Conversion(hub) of @wherry/webhook returns.`)
    for (const one of conversions) {
      if (found.has(one.name) && found.get(one.name) !== one)
        throw refused(`${file} has a conversion of ${one.name}, and so has another export: give one of them`)
      found.set(one.name, one)
    }
  }
  return [...found.values()]
}

function isConversion(value: unknown): value is CheckedConversion {
  return Object.prototype.toString.call(value) === '[object WherryConversion]'
}
