import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { policySuffix } from '../definition/policy-kinds.ts'
import { refused } from '../failure.ts'

/** The files with definitions in a folder, and then those with admission policies, which may refer to the definitions. The paths are relative to `cwd`. */
export async function definitionFiles(folder: string, cwd: string): Promise<readonly string[]> {
  const names = await readdir(resolve(cwd, folder)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const files = names
    .filter(name => /\.(ya?ml|json)$/.test(name))
    .sort()
    .sort((one, other) => Number(one.endsWith(policySuffix)) - Number(other.endsWith(policySuffix)))
    .map(name => join(folder, name))
  for (const file of files) {
    // Only regular files are read, because the read of a pipe might never end.
    const found = await stat(resolve(cwd, file)).catch(() => undefined)
    if (found?.isFile() === false) throw refused(`${file} is no file: remove it from the folder of the definitions`)
  }
  return files
}
