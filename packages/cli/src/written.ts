import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { readYaml, YamlError } from '@wherry/crd/internal'
import type { CommandHost } from './host.ts'
import { OutFolder } from './out-folder.ts'
import { StaleFiles } from './renewal.ts'

/** The destination of generated files. */
export interface Destination {
  /** The path of the folder as the user wrote it. */
  readonly out: string
  /** Whether to write nothing, and to fail if a file is not current. */
  readonly isCheck: boolean
  /** The arguments of the command that writes the files. */
  readonly renewedBy: readonly string[]
  /** The rights that a file granted before, and does not grant now. */
  readonly lostRights: (before: string, now: string) => readonly string[]
}

/** Writes files of YAML, or checks that they are current. Prints the outcome for each file, and the rights that disappear from it. */
export async function writeFiles(
  files: Readonly<Record<string, string>>,
  { out, isCheck, renewedBy, lostRights }: Destination,
  host: CommandHost,
): Promise<void> {
  const folder = new OutFolder(out, host.cwd)
  let isCurrent = true
  for (const [name, content] of Object.entries(files)) {
    const found = await folder.read(name)
    const state = found === undefined ? 'missing' : isSameYaml(found, content) ? 'current' : 'stale'
    const isToWrite = state !== 'current' && !isCheck
    if (isToWrite) await folder.write(name, content)
    if (state !== 'current') isCurrent = false
    if (state === 'stale') {
      const verb = isCheck ? 'would no longer grant' : 'no longer grants'
      for (const right of lostRights(found ?? '', content))
        host.stderr.write(`wherry: ${join(out, name)} ${verb} ${right}\n`)
    }
    host.stdout.write(`${join(out, name)}: ${isToWrite ? 'written' : state}\n`)
  }
  if (isCheck && !isCurrent) throw new StaleFiles(renewedBy)
}

/** Whether a file has the same documents as another text (rule K5). A text that kubectl can't read equals no other. */
export function isSameYaml(found: string, content: string): boolean {
  if (found === content) return true
  try {
    return isDeepStrictEqual(readYaml(found), readYaml(content))
  } catch (error) {
    if (error instanceof YamlError) return false
    throw error
  }
}
