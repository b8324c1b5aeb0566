import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
import { parseAllDocuments } from 'yaml'
import { refused, wrongUsage } from './failure.ts'
import type { CommandHost } from './host.ts'

/**
 * The definitions in a file of YAML or JSON; what else is in it is left out.
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
  const documents = parseAllDocuments(content)
  const wrong = documents.flatMap(one => one.errors).at(0)
  if (wrong !== undefined) throw refused(`${file}: ${wrong.message}`)
  const objects = documents.map(one => one.toJS() as { kind?: string; items?: readonly { kind?: string }[] } | null)
  const definitions = objects
    .flatMap(one => one?.items ?? one ?? [])
    .filter(one => one.kind === 'CustomResourceDefinition') as unknown as CustomResourceDefinition[]
  if (definitions.length === 0) throw refused(`${file} has no CustomResourceDefinition`)
  return definitions
}
