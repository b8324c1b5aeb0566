import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { RecordedRights, UsedRight } from '@wherry/apiserver'
import { refused } from '../failure.ts'
import type { CommandHost } from '../host.ts'
import { oneLine } from '../one-line.ts'

/** A right that was used, and by what: the name of a test, for example. */
export interface SeenRight extends UsedRight {
  /** The reason that a comment in the roles names. Empty: none. */
  readonly by: string
}

/**
 * Reads the rights that `recordRights` wrote to a folder. Rejects if the folder has no rights, or has a JSON file of another form. Leaves out the rights of a
 * test if its file was deleted, and reports that on stderr.
 */
export async function recordedRights(folder: string, { cwd, stderr }: CommandHost): Promise<readonly SeenRight[]> {
  const names = await readdir(resolve(cwd, folder)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const files = names.filter(name => name.endsWith('.json')).sort()
  const seen: SeenRight[] = []
  for (const name of files) {
    const file = join(folder, name)
    const text = await readFile(resolve(cwd, file), 'utf8').catch((error: Error) => {
      throw refused(`${file} can't be read: ${error.message}`)
    })
    const recorded = parsed(text)
    if (recorded === undefined) throw refused(`${file} is not a file of recordRights of @wherry/testing`)
    if (recorded.file !== undefined && !existsSync(resolve(cwd, recorded.file))) {
      stderr.write(`wherry: ${oneLine(recorded.file)} is gone: ${file} is left out, delete it\n`)
      continue
    }
    const by = recorded.test.replace(/\s+/g, ' ').trim()
    seen.push(...recorded.rights.map(right => ({ ...right, by })))
  }
  if (seen.length === 0)
    throw refused(
      `no rights are recorded in ${folder}: run your tests first, such as npm test. They record what they use if setUpApiServer of @wherry/testing has \`rights\`, or if each ends with recordRights`,
    )
  return seen
}

function parsed(text: string): RecordedRights | undefined {
  try {
    const value = JSON.parse(text)
    const isFile = value?.file === undefined || typeof value.file === 'string'
    const isRecorded =
      isFile && typeof value?.test === 'string' && Array.isArray(value.rights) && value.rights.every(isRight)
    return isRecorded ? value : undefined
  } catch {
    return undefined
  }
}

function isRight(value: unknown): value is UsedRight {
  if (typeof value !== 'object' || value === null) return false
  const { verb, group, resource, namespace, name, path, grants } = value as Record<string, unknown>
  if (grants !== undefined && !(Array.isArray(grants) && grants.every(isRight))) return false
  const isTarget =
    path === undefined ? typeof group === 'string' && typeof resource === 'string' : typeof path === 'string'
  const isTextOrNot = (one: unknown): boolean => one === undefined || typeof one === 'string'
  return typeof verb === 'string' && isTarget && isTextOrNot(namespace) && isTextOrNot(name)
}
