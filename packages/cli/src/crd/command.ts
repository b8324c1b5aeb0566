import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
import { definitionYaml } from '@wherry/crd'
import { Command } from 'commander'
import { CommandFailure, refused, wrongUsage } from '../failure.ts'
import type { CommandHost } from '../host.ts'
import { renewal } from '../renewal.ts'
import { exportedDefinitions } from './exported.ts'
import { checkManifest, type Manifest, writeManifest } from './manifests.ts'

interface Options {
  readonly out?: string
  readonly check?: true
  readonly json?: true
}

const examples = `
Examples:
  wherry crd src/game.ts                               print the definitions of its interfaces with the tag @group
  wherry crd src/game.crd.ts                           print the definitions that it exports
  wherry crd src/*.crd.ts --out deploy/crd             write a file for each definition
  wherry crd src/*.crd.ts --out deploy/crd --check     in CI: fail if one of these files is stale

Exit status: 0 done; 1 a file is stale, or what it says is refused; 2 wrong usage.`

/** `wherry crd`: writes CustomResourceDefinitions. */
export function crdCommand(host: CommandHost): Command {
  return new Command('crd')
    .description(
      'Writes the CustomResourceDefinitions of TypeScript files: of interfaces with the tag @group, or what defineCustomResource made.',
    )
    .argument('<file...>', 'files with interfaces, which are read; or modules, which Node runs as they are')
    .option('--out <folder>', 'write <plural>.<group>.yaml to this folder (default: print all to stdout)')
    .option('--check', 'write nothing, and fail if a file in --out is stale or missing')
    .option('--json', 'print a JSON document for each definition, on a line of its own')
    .addHelpText('after', examples)
    .action((files: readonly string[], options: Options) => crd(files, options, host))
}

async function crd(files: readonly string[], { out, check, json }: Options, host: CommandHost): Promise<void> {
  if (check && out === undefined) throw wrongUsage('--check needs --out, the folder of the files to check')
  const definitions = await definitionsOf(files, host.cwd)
  if (out === undefined) {
    if (json) for (const definition of definitions) host.stdout.write(`${JSON.stringify(definition)}\n`)
    else host.stdout.write(definitions.map(definitionYaml).join('---\n'))
    return
  }
  const manifests: Manifest[] = []
  for (const definition of definitions)
    manifests.push(await (check ? checkManifest : writeManifest)(definition, out, host.cwd))
  for (const manifest of manifests)
    host.stdout.write(`${json ? JSON.stringify(manifest) : `${manifest.file}: ${manifest.state}`}\n`)
  if (!manifests.some(({ state }) => state === 'stale' || state === 'missing')) return
  throw new CommandFailure(renewal(['crd', ...files, '--out', out]), 1)
}

/** The definitions of all files: those of interfaces, then those that modules export. */
async function definitionsOf(files: readonly string[], cwd: string): Promise<readonly CustomResourceDefinition[]> {
  const found = new Map<string, { readonly file: string; readonly definition: CustomResourceDefinition }>()
  const add = (file: string, definitions: readonly CustomResourceDefinition[]): void => {
    for (const definition of definitions) {
      const name = definition.metadata?.name ?? ''
      const other = found.get(name)
      if (other !== undefined && other.definition !== definition)
        throw refused(`${other.file} and ${file} both define ${name}`)
      found.set(name, { file, definition })
    }
  }
  const modules: string[] = []
  const interfaces: string[] = []
  for (const file of new Set(files)) ((await isOfInterfaces(file, cwd)) ? interfaces : modules).push(file)
  if (interfaces.length > 0) {
    // The compiler takes half a second to load: only for files that need it.
    const { interfaceDefinitions } = await import('../interface/definitions.ts')
    const paths = interfaces.map(file => resolve(cwd, file))
    add(interfaces.join(', '), interfaceDefinitions(paths, cwd))
  }
  for (const file of modules) add(file, await exportedDefinitions(resolve(cwd, file), file))
  return [...found.values()].map(({ definition }) => definition)
}

/** Whether a file has an interface with the tag `@group`, which is then read and not run. */
async function isOfInterfaces(file: string, cwd: string): Promise<boolean> {
  const text = await readFile(resolve(cwd, file), 'utf8').catch(() => {
    throw wrongUsage(`${file} can't be read`)
  })
  return /^\s*(\/\*)?\*+\s*@group\s/m.test(text)
}
