import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
import { readYaml, YamlError } from '@wherry/crd/internal'
import { checkedDefinition } from './definition/checked.ts'
import { isPolicyKind } from './definition/policy-kinds.ts'
import { isRecord, ShapeError } from './definition/shape.ts'
import { refused, wrongUsage } from './failure.ts'
import type { CommandHost } from './host.ts'

/** The manifests that `wherry crd` writes to a folder. */
export interface ManifestsIn {
  /** The definitions. Each has a form and names that a server accepts. */
  readonly definitions: readonly CustomResourceDefinition[]
  /** Admission policies and their bindings. */
  readonly policies: readonly object[]
}

/**
 * The definitions in a file of YAML or JSON, without its other objects.
 *
 * @param file as the user wrote it; `-` is the standard input
 */
export async function definitionsIn(file: string, host: CommandHost): Promise<readonly CustomResourceDefinition[]> {
  const { definitions } = await read(file, host)
  if (definitions.length === 0) throw refused(`${file} has no CustomResourceDefinition`)
  return definitions
}

/** The definitions and the admission policies in a file, which may lack either of them. */
export async function manifestsIn(file: string, host: CommandHost): Promise<ManifestsIn> {
  const found = await read(file, host)
  if (found.definitions.length + found.policies.length === 0)
    throw refused(`${file} has no CustomResourceDefinition and no admission policy`)
  return found
}

async function read(file: string, { cwd, stdin }: CommandHost): Promise<ManifestsIn> {
  const content = await (file === '-' ? text(stdin ?? Readable.from([])) : readFile(resolve(cwd, file), 'utf8')).catch(
    () => {
      throw wrongUsage(`${file} can't be read`)
    },
  )
  try {
    const objects = readYaml(content)
      .flatMap(one => (isRecord(one) && Array.isArray(one.items) ? (one.items as readonly unknown[]) : [one]))
      .filter(isRecord)
    return {
      definitions: objects.filter(({ kind }) => kind === 'CustomResourceDefinition').map(checkedDefinition),
      policies: objects.filter(({ kind }) => isPolicyKind(kind)),
    }
  } catch (error) {
    if (error instanceof YamlError || error instanceof ShapeError) throw refused(`${file}: ${error.message}`, error)
    throw error
  }
}
