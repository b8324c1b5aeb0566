import { CommandFailure } from '../failure.ts'
import type { Output } from '../host.ts'
import type { DefinitionFiles } from './definition-files.ts'
import type { FileChanges } from './file-changes.ts'
import type { Manifest } from './manifests.ts'

/** The files, the output and the writer of `wherry crd --watch`. */
export interface WatchOptions {
  readonly files: DefinitionFiles
  readonly changes: FileChanges
  /** Writes the manifests of the files. */
  readonly write: () => Promise<readonly Manifest[]>
  readonly print: (manifest: Manifest) => void
  readonly stderr: Output
}

/**
 * Writes manifests now, and again after each change of a file, until the changes end. Prints all manifests at first, and later only the written ones.
 *
 * @throws CommandFailure for wrong usage, before it begins. Later failures are printed.
 */
export async function watchManifests({ files, changes, write, print, stderr }: WatchOptions): Promise<void> {
  let isFirst = true
  let hasFailed = false
  for (;;) {
    try {
      const manifests = await write()
      const written = manifests.filter(({ state }) => isFirst || state === 'written')
      written.forEach(print)
      if (hasFailed && written.length === 0) stderr.write('wherry: all files are current again\n')
      hasFailed = false
    } catch (error) {
      if (!(error instanceof CommandFailure) || (isFirst && error.status === 2)) throw error
      stderr.write(`wherry: ${error.message}\n`)
      hasFailed = true
    }
    isFirst = false
    // A file may have changed after it was read and before it was watched.
    if (files.haveChanged(changes.add(files.ownFiles()))) continue
    if (!(await changes.next())) return
    files.haveChanged(files.ownFiles())
  }
}
