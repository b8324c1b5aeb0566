import { join } from 'node:path'
import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
import { definitionYaml, isCurrentYaml } from '@wherry/crd'
import { OutFolder } from '../out-folder.ts'

/** A definition's manifest in a folder. */
export interface Manifest {
  /** The definition's name: `games.arcade.example.com`. */
  readonly name: string
  /** The path, as the user wrote the folder. */
  readonly file: string
  readonly state: 'current' | 'stale' | 'missing' | 'written'
}

/** Says whether the manifest of `definition` in `folder` is current. Writes nothing. Rejects with a CommandFailure for what is no file of the folder. */
export async function checkManifest(
  definition: CustomResourceDefinition,
  folder: string,
  cwd: string,
): Promise<Manifest> {
  const name = definition.metadata?.name ?? ''
  const file = join(folder, `${name}.yaml`)
  const text = await new OutFolder(folder, cwd).read(`${name}.yaml`)
  if (text === undefined) return { name, file, state: 'missing' }
  // Most manifests are as they were written. To parse one takes ten times as long as to write it.
  const isCurrent = text === definitionYaml(definition) || isCurrentYaml(text, definition)
  return { name, file, state: isCurrent ? 'current' : 'stale' }
}

/** Writes the manifest of `definition` to `folder`, which is made if it is not there. A current manifest stays as it is, with its comments. */
export async function writeManifest(
  definition: CustomResourceDefinition,
  folder: string,
  cwd: string,
): Promise<Manifest> {
  const found = await checkManifest(definition, folder, cwd)
  if (found.state === 'current') return found
  await new OutFolder(folder, cwd).write(`${found.name}.yaml`, definitionYaml(definition))
  return { ...found, state: 'written' }
}
