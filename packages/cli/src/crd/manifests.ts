import { join } from 'node:path'
import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
import { definitionYaml, isCurrentYaml } from '@wherry/crd'
import { yamlText } from '@wherry/crd/internal'
import { policySuffix } from '../definition/policy-kinds.ts'
import { OutFolder } from '../out-folder.ts'
import { isSameYaml } from '../written.ts'
import type { Policy } from './exported.ts'

/** A definition or a policy that is written to a file of its own. */
export interface Generated {
  /** The name of the definition or of the policy: `games.arcade.example.com`. */
  readonly name: string
  /** The name of the file. */
  readonly file: string
  /** A definition; or a policy followed by its binding. */
  readonly objects: readonly object[]
  readonly yaml: () => string
  /** Whether a text has the same objects. Comments, the layout and the order of fields make no difference. */
  readonly isCurrent: (text: string) => boolean
}

export function generatedDefinition(definition: CustomResourceDefinition): Generated {
  const name = definition.metadata?.name ?? ''
  return {
    ...{ name, file: `${name}.yaml`, objects: [definition] },
    yaml: () => definitionYaml(definition),
    isCurrent: text => isCurrentYaml(text, definition),
  }
}

export function generatedPolicy({ policy, binding }: Policy): Generated {
  const name = policy.metadata?.name ?? ''
  const yaml = (): string => [policy, binding].map(one => yamlText(one)).join('---\n')
  return {
    ...{ name, file: `${name}${policySuffix}`, objects: [policy, binding] },
    ...{ yaml, isCurrent: text => isSameYaml(text, yaml()) },
  }
}

/** A manifest in a folder. */
export interface Manifest {
  /** The name of the definition or of the policy: `games.arcade.example.com`. */
  readonly name: string
  /** The path of the file. It is relative if the user gave a relative folder. */
  readonly file: string
  readonly state: 'current' | 'stale' | 'missing' | 'written'
}

/** Checks whether a manifest in `folder` is current. Writes nothing. Rejects with a CommandFailure if something other than a file has the name of the manifest. */
export async function checkManifest(generated: Generated, folder: string, cwd: string): Promise<Manifest> {
  const { name } = generated
  const file = join(folder, generated.file)
  const text = await new OutFolder(folder, cwd).read(generated.file)
  if (text === undefined) return { name, file, state: 'missing' }
  // Most manifests are unchanged. Parsing a manifest takes ten times as long as serializing it, so the texts are compared first.
  const isCurrent = text === generated.yaml() || generated.isCurrent(text)
  return { name, file, state: isCurrent ? 'current' : 'stale' }
}

/** Writes a manifest to `folder`, and makes the folder if it does not exist. A current manifest stays unchanged, with its comments. */
export async function writeManifest(generated: Generated, folder: string, cwd: string): Promise<Manifest> {
  const found = await checkManifest(generated, folder, cwd)
  if (found.state === 'current') return found
  await new OutFolder(folder, cwd).write(generated.file, generated.yaml())
  return { ...found, state: 'written' }
}
