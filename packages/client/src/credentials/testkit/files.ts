import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A directory of its own for one test. */
export interface Files {
  readonly directory: string
  /** Writes a file as a kubelet does, whole or not at all, and gives its path. */
  write(name: string, text: string): Promise<string>
  remove(): Promise<void>
}

export async function files(): Promise<Files> {
  const directory = await mkdtemp(join(tmpdir(), 'wherry-credentials-'))
  return {
    directory,
    async write(name, text) {
      const path = join(directory, name)
      await writeFile(`${path}.new`, text, { mode: 0o700 })
      await rename(`${path}.new`, path)
      return path
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}
