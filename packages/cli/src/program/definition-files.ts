import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'

/** The files with definitions in a folder, relative to where relative paths start. */
export async function definitionFiles(folder: string, cwd: string): Promise<readonly string[]> {
  const names = await readdir(resolve(cwd, folder)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return names
    .filter(name => /\.(ya?ml|json)$/.test(name))
    .sort()
    .map(name => join(folder, name))
}
