import { type ClusterAccess, fromKubeconfigFile } from '@wherry/client'
import { asError, checkOptions, milliseconds, sleep, text } from '@wherry/client/internal'
import type { ClusterProvider, FoundClusters } from './provider.ts'

/** The options of {@link kubeconfigFiles}. */
export interface KubeconfigFilesOptions {
  /** How often the folder is read, in milliseconds. @default 10_000 */
  readonly pollMs?: number | undefined
}

/**
 * Finds clusters by the kubeconfig files of a folder, such as a mounted volume. The name of a file is that of its cluster. Folders, and names that
 * begin with a dot, are left out. The kubeconfigs may use plugins and files of this machine.
 *
 * A file that can't be used is reported once until it changes, and its cluster goes on with the former connection. A cluster is removed when the folder
 * was read and no longer has its file. A folder that can't be read is reported once until it can, and removes nothing.
 *
 * @example
 * ```ts
 * import { Clusters, kubeconfigFiles } from '@wherry/controller/clusters'
 *
 * export const clusters = new Clusters({
 *   provider: kubeconfigFiles('/etc/fleet'),
 *   declare: (operator, { name }) => console.log(`${name}: ${operator.client.server}`),
 * })
 * ```
 */
export function kubeconfigFiles(folder: string, options: KubeconfigFilesOptions = {}): ClusterProvider {
  checkOptions('kubeconfigFiles', { ...options, folder }, { folder: text, pollMs: milliseconds({ min: 1 }) }, [
    'folder',
  ])
  const { pollMs = 10_000 } = options
  return {
    provide: async found => {
      const { clock, onError } = found.client.environment
      const files = new Map<string, KubeconfigFile>()
      let failure: string | undefined
      while (!found.signal.aborted) {
        try {
          await look(found, folder, files)
          failure = undefined
        } catch (thrown) {
          const error = asError(thrown, 'the folder of kubeconfigs was not read')
          if (error.message !== failure) onError(error, { phase: 'clusters' })
          failure = error.message
        }
        await sleep(clock, pollMs, found.signal).catch(() => {})
      }
    },
  }
}

/** A file as it was read last. */
interface KubeconfigFile {
  /** `undefined` if it was never read. */
  readonly text?: string | undefined
  /** `undefined` if the text is no usable kubeconfig. */
  readonly access?: ClusterAccess | undefined
  /** The reported reason why the file can't be read now. */
  readonly failure?: string | undefined
}

/** Reads the folder once. Rejects if it can't be read. */
async function look(found: FoundClusters, folder: string, files: Map<string, KubeconfigFile>): Promise<void> {
  const { readdir, readFile } = await import('node:fs/promises')
  const { join } = await import('node:path')
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter(one => !one.isDirectory() && !one.name.startsWith('.')).map(({ name }) => name)
  for (const name of names) {
    const path = join(folder, name)
    const known = files.get(name)
    try {
      const text = await readFile(path, 'utf8')
      if (text === known?.text) files.set(name, { ...known, failure: undefined })
      else {
        files.set(name, { text })
        files.set(name, { text, access: await fromKubeconfigFile(path, { clock: found.client.environment.clock }) })
      }
      const { access } = files.get(name) as KubeconfigFile
      // An equal connection changes nothing.
      if (access !== undefined) found.set(name, { access })
    } catch (thrown) {
      const error = asError(thrown)
      if (error.message !== known?.failure) found.invalid(name, error)
      files.set(name, { ...files.get(name), failure: error.message })
    }
  }
  for (const name of files.keys()) if (!names.includes(name)) files.delete(name)
  for (const name of found.names) if (!names.includes(name)) found.remove(name)
}
