import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ControlledApiServer } from '../api-server.ts'
import type { UsedRight } from './used-rights.ts'

/** Whose rights are recorded, and where. */
export interface RecordRightsOptions {
  /** The user that the operator runs as, and nobody else: `account.user`, or the name of a token's user. */
  readonly user: string
  /** The name of the test, such as `expect.getState().currentTestName`. */
  readonly test: string
  /** Where the rights are recorded, relative to the working directory. @default '.wherry/rights' */
  readonly folder?: string | undefined
}

/** The content of a file of recorded rights. */
export interface RecordedRights {
  readonly test: string
  readonly rights: readonly UsedRight[]
}

/**
 * Writes the rights that an operator used in a test to a file of this test and user, for `wherry rbac`. The same rights make the same file. Call it at the
 * end of the test: a test that failed before has not used all that it needs. Resolves with the file's path.
 */
export async function recordRights(
  server: Pick<ControlledApiServer, 'usedRights'>,
  { user, test, folder = join('.wherry', 'rights') }: RecordRightsOptions,
): Promise<string> {
  const recorded: RecordedRights = { test, rights: await server.usedRights(user) }
  // Two tests' names may differ in what a file's name can't have, and a test may record several users.
  const hash = createHash('sha256')
    .update(JSON.stringify([test, user]))
    .digest('hex')
    .slice(0, 8)
  const file = join(folder, `${test.replace(/[^A-Za-z0-9]+/g, '-').slice(0, 80)}-${hash}.json`)
  // Simulated time does not wait for file operations.
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, `${JSON.stringify(recorded, undefined, 2)}\n`)
  return file
}
