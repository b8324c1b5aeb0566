import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
import { Command } from 'commander'
import { differences, differenceText } from '../diff/differences.ts'
import { oldDefinitions } from '../diff/old-definitions.ts'
import { CommandFailure, wrongUsage } from '../failure.ts'
import type { CommandHost } from '../host.ts'
import { StaleFiles } from '../renewal.ts'
import { DefinitionFiles } from './definition-files.ts'
import { FolderChanges } from './file-changes.ts'
import { kustomized } from './kustomized.ts'
import {
  checkManifest,
  type Generated,
  generatedDefinition,
  generatedPolicy,
  type Manifest,
  writeManifest,
} from './manifests.ts'
import { watchManifests } from './watch.ts'

interface Options {
  readonly out?: string
  readonly check?: true
  readonly watch?: true
  readonly diff?: string
  readonly kustomization?: string
  readonly json?: true
}

const examples = `
Examples:
  wherry crd src/game.ts                               print the definitions of its interfaces with the tag @group
  wherry crd src/game.crd.ts                           print the definitions that it exports
  wherry crd src/*.crd.ts --out deploy/crd             write a file for each definition
  wherry crd src/policies.ts --out deploy/crd          write a file for each policy that it exports, with its binding
  wherry crd src/game.ts --out deploy/crd --watch      write them again whenever a file changes, until Ctrl+C
  wherry crd src/*.crd.ts --out deploy/crd --check     in CI: fail if one of these files is stale
  wherry crd src/game.ts --diff cluster                before an upgrade: is the change safe for the objects in the cluster?
  kubectl kustomize deploy | wherry crd src/game.ts --diff -    what is applied has the conversions of deploy/kustomization.yaml
  wherry crd src/game.ts --diff cluster:staging        the same for the kubeconfig's context "staging"
  git show main:deploy/crd/games.example.com.yaml | wherry crd src/game.ts --diff -

--diff says of each change whether it breaks stored objects, breaks clients or is safe, and what to do.

Exit status: 0 done; 1 a file is stale, what it says is refused, or a change is not safe; 2 wrong usage, or the old definition can't be read.`

/** `wherry crd`: writes CustomResourceDefinitions and admission policies. */
export function crdCommand(host: CommandHost): Command {
  return new Command('crd')
    .description(
      'Writes the CustomResourceDefinitions of TypeScript files: of interfaces with the tag @group, or what defineCustomResource made; and the admission policies that policy made.',
    )
    .argument('<file...>', 'files with interfaces, which are read; or modules, which Node runs as they are')
    .option(
      '--out <folder>',
      'write <plural>.<group>.yaml, and <name>.policy.yaml for a policy, to this folder (default: print all to stdout)',
    )
    .option('--check', 'write nothing, and fail if a file in --out is stale or missing')
    .option(
      '--watch',
      'write the files in --out again whenever a file with interfaces, or one that it imports, changes',
    )
    .option(
      '--diff <old>',
      'write nothing, and fail if a change from the old definition is not safe: a file, - for the standard input, cluster, or cluster:CONTEXT',
    )
    .option(
      '--kustomization <file>',
      'with --diff: the kustomization with the patches that have the conversions (default: deploy/kustomization.yaml, if it is there)',
    )
    .option('--json', 'print a JSON document for each object, or with --diff for each change, on a line of its own')
    .addHelpText('after', examples)
    .action((files: readonly string[], options: Options) => crd(files, options, host))
}

async function crd(paths: readonly string[], options: Options, host: CommandHost): Promise<void> {
  const { out, check, watch, diff, kustomization, json } = options
  if (kustomization !== undefined && diff === undefined) throw wrongUsage('--kustomization needs --diff')
  if (diff !== undefined && (out !== undefined || check || watch))
    throw wrongUsage('--diff writes and checks no files: take it without --out, --check and --watch')
  if (check && out === undefined) throw wrongUsage('--check needs --out, the folder of the files to check')
  if (watch && out === undefined) throw wrongUsage('--watch needs --out, the folder of the files to write')
  if (watch && check) throw wrongUsage('--watch writes files, and --check writes none: take one of them')
  const { stdout, stderr, cwd } = host
  const files = new DefinitionFiles(paths, cwd)
  if (diff !== undefined) {
    const { definitions } = await files.exported()
    if (definitions.length === 0)
      throw wrongUsage(`--diff compares definitions: ${paths.join(', ')} has policies alone`)
    await compare(await kustomized(definitions, kustomization, host), diff, json === true, host)
    return
  }
  if (out === undefined) {
    const all = await generatedFrom(files)
    if (json) for (const object of all.flatMap(({ objects }) => objects)) stdout.write(`${JSON.stringify(object)}\n`)
    else stdout.write(all.map(({ yaml }) => yaml()).join('---\n'))
    return
  }
  const print = (manifest: Manifest): void =>
    void stdout.write(`${json ? JSON.stringify(manifest) : `${manifest.file}: ${manifest.state}`}\n`)
  const manifestsOf = async (all: readonly Generated[], each: typeof checkManifest) => {
    const manifests: Manifest[] = []
    for (const one of all) manifests.push(await each(one, out, cwd))
    return manifests
  }
  if (watch) {
    using changes = new FolderChanges(host.ending?.())
    const write = async () => manifestsOf((await files.interfaceDefinitions()).map(generatedDefinition), writeManifest)
    await watchManifests({ files, changes, write, print, stderr })
    return
  }
  const manifests = await manifestsOf(await generatedFrom(files), check ? checkManifest : writeManifest)
  manifests.forEach(print)
  if (!manifests.some(({ state }) => state === 'stale' || state === 'missing')) return
  throw new StaleFiles(['crd', ...paths, '--out', out])
}

/** The definitions of files, and then the policies. */
async function generatedFrom(files: DefinitionFiles): Promise<readonly Generated[]> {
  const { definitions, policies } = await files.exported()
  return [...definitions.map(generatedDefinition), ...policies.map(generatedPolicy)]
}

/** Prints how the definitions differ from old ones. Fails if a change is not safe. */
async function compare(
  definitions: readonly CustomResourceDefinition[],
  old: string,
  json: boolean,
  host: CommandHost,
): Promise<void> {
  const names = definitions.map(({ metadata }) => metadata?.name ?? '')
  const all = differences(await oldDefinitions(old, names, host), definitions)
  for (const one of all) host.stdout.write(json ? `${JSON.stringify(one)}\n` : differenceText(one))
  const unsafe = all.filter(({ verdict }) => verdict !== 'safe')
  if (unsafe.length > 0) throw new CommandFailure(`changes that are not safe: ${unsafe.length} of ${all.length}`, 1)
}
