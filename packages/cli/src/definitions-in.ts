import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
import { readYaml, YamlError } from '@wherry/crd/internal'
import { checkedDefinition } from './definition/checked.ts'
import { isRecord, ShapeError } from './definition/shape.ts'
import { refused, wrongUsage } from './failure.ts'
import type { CommandHost } from './host.ts'

/**
 * The definitions in a file of YAML or JSON; what else is in it is left out. Each has the form and the names that a server takes.
 *
 * @param file as the user wrote it; `-` is the standard input
 */
export async function definitionsIn(
  file: string,
  { cwd, stdin }: CommandHost,
): Promise<readonly CustomResourceDefinition[]> {
  const content = await (file === '-' ? text(stdin ?? Readable.from([])) : readFile(resolve(cwd, file), 'utf8')).catch(
    () => {
      throw wrongUsage(`${file} can't be read`)
    },
  )
  try {
    const definitions = readYaml(content)
      .flatMap(one => (isRecord(one) && Array.isArray(one.items) ? (one.items as readonly unknown[]) : [one]))
      .filter(isRecord)
      .filter(({ kind }) => kind === 'CustomResourceDefinition')
      .map(checkedDefinition)
    if (definitions.length > 0) return definitions
  } catch (error) {
    if (error instanceof YamlError || error instanceof ShapeError) throw refused(`${file}: ${error.message}`, error)
    throw error
  }
  throw refused(`${file} has no CustomResourceDefinition`)
}
