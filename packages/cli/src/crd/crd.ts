import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
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

/** The options of `wherry crd`. Its help describes them. */
export interface CrdOptions {
  readonly out?: string
  readonly check?: true
  readonly watch?: true
  readonly diff?: string
  readonly kustomization?: string
  readonly json?: true
}

/** Writes, checks or compares the definitions and policies of files. */
export async function crd(paths: readonly string[], options: CrdOptions, host: CommandHost): Promise<void> {
  const { out, check, watch, diff, kustomization, json } = options
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
