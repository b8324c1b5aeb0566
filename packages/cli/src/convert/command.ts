import type { KubernetesObject } from '@wherry/client'
import { Command } from 'commander'
import { CommandFailure } from '../failure.ts'
import type { CommandHost } from '../host.ts'
import { oneLine } from '../one-line.ts'
import { type CheckedConversion, exportedConversions } from './conversions.ts'
import { storedObjects } from './stored.ts'

interface Options {
  readonly check: string
  readonly loses?: readonly string[]
  readonly json?: true
}

const examples = `
Examples:
  wherry convert src/conversion.ts --check cluster               before an upgrade: can all stored objects be converted?
  wherry convert src/conversion.ts --check cluster:staging       the same for the kubeconfig's context "staging"
  wherry convert src/conversion.ts --check objects.yaml          the objects of a file, such as kubectl get games -A -o yaml writes
  wherry convert src/conversion.ts --check - --loses spec.color  a field that may get lost

Each object is converted to each other version and back. Nothing is written.

Exit status: 0 all objects can be converted, and come back as they were; 1 one can't, or loses something; 2 wrong usage, or the objects can't be read.`

/** `wherry convert`: tries the conversions of an operator on stored objects. */
export function convertCommand(host: CommandHost): Command {
  return new Command('convert')
    .description('Tries the conversions that modules export on all objects of a cluster or a file, and writes nothing.')
    .argument('<file...>', 'modules that export what new Conversion(hub) of @wherry/webhook returns')
    .requiredOption('--check <objects>', 'the objects: cluster, cluster:CONTEXT, a file, or - for the standard input')
    .option('--loses <path...>', 'fields that may get lost in another version, such as spec.color')
    .option('--json', 'print a JSON document for each finding, on a line of its own')
    .addHelpText('after', examples)
    .action((files: readonly string[], options: Options) => convert(files, options, host))
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

async function convert(files: readonly string[], options: Options, host: CommandHost): Promise<void> {
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
