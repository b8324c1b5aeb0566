import { forgetRights } from '@wherry/apiserver/internal'

/** Deletes the recorded rights of tests that a file no longer has, and reports this on standard error. Otherwise `wherry rbac` would grant them for ever. */
export function forgetTestsOf(file: string, isThere: (test: string) => boolean): void {
  for (const test of forgetRights(file, isThere))
    process.stderr.write(
      `wherry: the rights of "${test}" are deleted from .wherry/rights: its file has no such test now\n`,
    )
}
