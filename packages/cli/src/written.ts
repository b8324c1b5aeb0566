import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { parseAllDocuments } from 'yaml'
import { CommandFailure } from './failure.ts'
import type { CommandHost } from './host.ts'
import { renewal } from './renewal.ts'

/** Where generated files go. */
export interface Destination {
  /** The folder, as the user wrote it. */
  readonly out: string
  /** Write nothing, and fail if a file is not current. */
  readonly isCheck: boolean
  /** The arguments of the command that writes the files. */
  readonly renewedBy: readonly string[]
}

/** Writes files of YAML, or checks that they are current, and says of each what became of it. */
export async function writeFiles(
  files: Readonly<Record<string, string>>,
  { out, isCheck, renewedBy }: Destination,
  host: CommandHost,
): Promise<void> {
  let isCurrent = true
  for (const [name, content] of Object.entries(files)) {
    const file = join(out, name)
    const path = resolve(host.cwd, file)
    const found = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
    const state = found === undefined ? 'missing' : isSame(found, content) ? 'current' : 'stale'
    const isToWrite = state !== 'current' && !isCheck
    if (isToWrite) {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, content)
    }
    if (state !== 'current') isCurrent = false
    host.stdout.write(`${file}: ${isToWrite ? 'written' : state}\n`)
  }
  if (isCheck && !isCurrent) throw new CommandFailure(renewal(renewedBy), 1)
}

/** Whether two texts have the same documents (rule K5). */
function isSame(a: string, b: string): boolean {
  const documents = (text: string): unknown[] => parseAllDocuments(text).map(one => one.toJS())
  return a === b || isDeepStrictEqual(documents(a), documents(b))
}
