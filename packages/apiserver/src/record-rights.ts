import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { ControlledApiServer } from './api-server.ts'
import type { UsedRight } from './authn/used-rights.ts'

const defaultFolder = join('.wherry', 'rights')

/** Options of {@link recordRights}. */
export interface RecordRightsOptions {
  /** The user that the operator runs as, and nobody else: `account.user`, or the name of a token's user. */
  readonly user: string
  /** The name of the test, such as `expect.getState().currentTestName`. */
  readonly test: string
  /** The path of the file with the test. If that file no longer exists, `wherry rbac` leaves the rights out. @default not recorded */
  readonly file?: string | undefined
  /** The folder of the recorded rights, relative to the working directory. @default '.wherry/rights' */
  readonly folder?: string | undefined
}

/** The content of a file of recorded rights. */
export interface RecordedRights {
  readonly test: string
  /** The path of the test's file, relative to the working directory, with `/`. */
  readonly file?: string | undefined
  readonly rights: readonly UsedRight[]
}

/**
 * Writes the rights that an operator used in a test to a file of this test and user, for `wherry rbac`. The same rights make the same file. Call this function
 * at the end of the test: a test that failed before has not used all the rights that it needs. Resolves with the file's path.
 *
 * @example
 * ```ts
 * import { recordRights, startApiServer } from '@wherry/testing'
 *
 * await using server = await startApiServer({ authorization: 'RBAC', recordRights: true })
 * const user = 'system:serviceaccount:arcade:game-operator'
 * console.log(await recordRights(server, { user, test: 'creates a Deployment' })) // the file, which `wherry rbac` reads
 * ```
 */
export async function recordRights(
  server: Pick<ControlledApiServer, 'usedRights'>,
  { user, test, file: path, folder = defaultFolder }: RecordRightsOptions,
): Promise<string> {
  const source = path === undefined ? undefined : shown(path)
  const recorded: RecordedRights = { test, file: source, rights: await server.usedRights(user) }
  // Names of tests may differ only in characters that a file name can't have, two files may have tests of the same name, and a test may record several users.
  const hash = createHash('sha256')
    .update(JSON.stringify([test, user, source]))
    .digest('hex')
    .slice(0, 8)
  const file = join(folder, `${test.replace(/[^A-Za-z0-9]+/g, '-').slice(0, 80)}-${hash}.json`)
  // Simulated time does not wait for file operations.
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, `${JSON.stringify(recorded, undefined, 2)}\n`)
  return file
}

/**
 * Deletes the records of tests that a file no longer has. Synchronous, so that it can run while a process ends. Returns the names of these tests.
 *
 * @param isThere whether the file has a test of this name
 */
export function forgetRights(
  file: string,
  isThere: (test: string) => boolean,
  folder: string = defaultFolder,
): readonly string[] {
  if (!existsSync(folder)) return []
  const forgotten: string[] = []
  for (const name of readdirSync(folder)) {
    if (!name.endsWith('.json')) continue
    const recorded = recordedIn(join(folder, name))
    if (recorded === undefined || recorded.file !== shown(file) || isThere(recorded.test)) continue
    rmSync(join(folder, name), { force: true })
    forgotten.push(recorded.test)
  }
  return forgotten
}

/** The rights in a file; `undefined` for a file that another process is still writing. */
function recordedIn(path: string): (Partial<RecordedRights> & Pick<RecordedRights, 'test'>) | undefined {
  try {
    const found = JSON.parse(readFileSync(path, 'utf8'))
    return typeof found?.test === 'string' ? found : undefined
  } catch {
    return undefined
  }
}

const shown = (path: string): string => relative(process.cwd(), path).replaceAll('\\', '/')
