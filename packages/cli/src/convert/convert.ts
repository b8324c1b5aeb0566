import type { KubernetesObject } from '@wherry/client'
import { CommandFailure } from '../failure.ts'
import type { CommandHost } from '../host.ts'
import { oneLine } from '../one-line.ts'
import { type CheckedConversion, exportedConversions } from './conversions.ts'
import { storedObjects } from './stored.ts'

/** The options of `wherry convert`. Its help describes them. */
export interface ConvertOptions {
  readonly check: string
  readonly loses?: readonly string[]
  readonly json?: true
}

/** An object that can't be converted, or a field that gets lost. */
interface Finding {
  readonly definition: string
  /** The version to which the objects were converted. */
  readonly version: string
  readonly finding: 'fails' | 'loses'
  /** The error of the converter, or the path of the lost field. */
  readonly what: string
  /** The number of objects with this problem. */
  readonly count: number
  /** The first object with this problem. */
  readonly object: string
}

/** Tries the conversions of modules on stored objects. */
export async function convert(files: readonly string[], options: ConvertOptions, host: CommandHost): Promise<void> {
  const { check, loses = [], json = false } = options
  const { stdout, cwd } = host
  const conversions = await exportedConversions(files, cwd)
  let unsafe = 0
  for await (const { conversion, objects } of storedObjects(check, conversions, host)) {
    const tried = await findings(conversion, objects, loses)
    unsafe += tried.found.length
    for (const one of tried.found) stdout.write(json ? `${JSON.stringify(one)}\n` : `${lineOf(one)}\n`)
    const versions = conversion.versions.length
    if (!json) stdout.write(`${conversion.name}: objects tried at ${versions} versions: ${tried.count}\n`)
  }
  if (unsafe > 0) throw new CommandFailure(`conversions that fail or lose something: ${unsafe}`, 1)
}

async function findings(
  conversion: CheckedConversion,
  objects: AsyncIterable<KubernetesObject> | Iterable<KubernetesObject>,
  loses: readonly string[],
): Promise<{ readonly count: number; readonly found: readonly Finding[] }> {
  const found = new Map<string, Finding>()
  let objectCount = 0
  for await (const object of objects) {
    objectCount += 1
    const { namespace, name = 'an object without a name' } = object.metadata ?? {}
    const shown = namespace === undefined ? name : `${namespace}/${name}`
    const note = (version: string, finding: Finding['finding'], what: string, key: string): void => {
      const { count = 0, object: first = shown } = found.get(key) ?? {}
      found.set(key, { definition: conversion.name, version, finding, what, count: count + 1, object: first })
    }
    for (const version of conversion.versions) {
      if (object.apiVersion === `${conversion.hub.resource.group}/${version}`) continue
      try {
        const { lost } = await conversion.roundTrip(object, version)
        for (const path of lost) if (!isExpected(path, loses)) note(version, 'loses', path, `${version} loses ${path}`)
      } catch (error) {
        note(version, 'fails', whyOf(error), `${version} fails ${shown}`)
      }
    }
  }
  return { count: objectCount, found: [...found.values()] }
}

/** The reason why an object can't be converted. The error of a converter is shown as it is, because the converter is the user's own. */
function whyOf(error: unknown): string {
  const { why, message, cause } = error as Partial<Record<'why' | 'message', string>> & { readonly cause?: unknown }
  const said = why ?? message ?? String(error)
  const thrown = cause instanceof Error && !said.includes(cause.message) ? ` (${cause.message})` : ''
  return oneLine(`${said}${thrown}`)
}

function isExpected(path: string, loses: readonly string[]): boolean {
  return loses.some(one => path === one || path.startsWith(`${one}.`) || path.startsWith(`${one}[`))
}

function lineOf({ definition, version, finding, what, count, object }: Finding): string {
  const which = count === 1 ? object : `${object} and ${count - 1} more`
  return finding === 'fails'
    ? `fails  ${definition} ${version} ${oneLine(object)}: ${what}`
    : `loses  ${definition} ${version} ${oneLine(what)}: of ${oneLine(which)}`
}
