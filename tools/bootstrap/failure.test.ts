import { expect, it } from 'vitest'
import { explain } from './failure.mjs'

const said = (output: string, code: number | undefined): string =>
  explain('installing', { code, output }, 'http://registry.test', '/log').message

it.each([
  ['npm error code ECONNREFUSED\nnpm error errno ECONNREFUSED', "can't be reached; check the network"],
  ['npm error code ENOTFOUND', "can't be reached"],
  ['Error: ERR_PNPM_META_FETCH_FAIL\n  error sending request: client\n  error (Connect)', "can't be reached"],
  ['npm error code ENOSPC', 'the disk is full; make room'],
  ['npm warn tar TAR_ENTRY_ERROR ENOSPC: no space left on device, write', 'the disk is full; make room'],
  ['Failed to write cafs: No\n      space left on device (os error 28)', 'the disk is full; make room'],
  ['npm error code EINTEGRITY\nnpm error sha512-a== integrity checksum failed', 'does not have the checksum'],
  ['ERR_PNPM_TARBALL_INTEGRITY  Got unexpected checksum', 'does not have the checksum'],
  ['npm error code E401', 'refuses us; check the credentials'],
  ['npm error code E404', 'lacks a package that the lockfile names'],
  [
    'npm error code EUSAGE\nnpm error The `npm ci` command can only install with an existing package-lock.json',
    'npm is too old',
  ],
  ['npm error code EBADPLATFORM', 'npm has no Node 24 for this platform'],
  ['ERR_PNPM_OUTDATED_LOCKFILE  Cannot install', 'run pnpm install, commit the lockfile'],
  ['ERR_PNPM_IGNORED_BUILDS', 'allowBuilds'],
  ['npm error code EACCES', 'no permission to write'],
  ['something else', 'ended with code 1; see /log'],
])('explains %j in one line that says what to do', (output, explanation) => {
  const message = said(output, 1)
  expect(message).toContain(explanation)
  expect(message).toMatch(/^installing failed: .*then run this again/)
  expect(message).not.toContain('\n')
})

it('does not take a retry that was warned of for the cause', () => {
  expect(said('[WARN] GET … error (connection refused)\nWill retry in 500ms\nError: ENOSPC', 1)).toContain(
    'the disk is full',
  )
})

it('says when a signal ended it', () => {
  expect(said('', undefined)).toContain('ended by')
})
