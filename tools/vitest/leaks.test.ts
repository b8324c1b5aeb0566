import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { repository } from './aliases.ts'

interface Report {
  readonly testResults: {
    readonly assertionResults: { readonly title: string; readonly status: string; readonly failureMessages: string[] }[]
  }[]
}

/** Runs the fixture of leaking tests as a suite of its own and gives the outcome by title. */
function runLeaky(): Map<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'leaks-'))
  const outputFile = join(folder, 'report.json')
  const vitest = join(repository, 'node_modules/vitest/vitest.mjs')
  const config = join(import.meta.dirname, 'fixtures/vitest.config.ts')
  const options = ['--config', config, '--reporter', 'json', '--outputFile', outputFile]
  const run = spawnSync(process.execPath, [vitest, 'run', ...options], {
    cwd: repository,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, WHERRY_CLOSING_MS: '100' },
  })
  if (!existsSync(outputFile)) throw new Error(`no report: ${run.stdout}${run.stderr}`)
  const report = JSON.parse(readFileSync(outputFile, 'utf8')) as Report
  rmSync(folder, { recursive: true })
  return new Map(
    report.testResults
      .flatMap(file => file.assertionResults)
      .map(({ title, status, failureMessages }) => [
        title,
        status === 'passed' ? 'passed' : failureMessages.join('\n'),
      ]),
  )
}

it('fails a test that leaves a socket, a server, a timer, a child or an unhandled rejection', () => {
  const outcome = runLeaky()
  expect(Object.fromEntries(outcome)).toEqual({
    'leaves a client socket': expect.stringContaining('a client socket to port'),
    'leaves a server': expect.stringContaining('a listening server'),
    'leaves a TLS socket': expect.stringContaining('a client socket to port'),
    'leaves a timer': expect.stringContaining('a timer of 600000 ms (setTimeout)'),
    'leaves a timer that another one has set': expect.stringContaining('a timer of 400000 ms (setTimeout)'),
    'outlives a timer of the whole file, which sets the next one': 'passed',
    'leaves an interval that is unref-ed': expect.stringContaining('a timer of 500000 ms (setInterval)'),
    'leaves an unhandled rejection': expect.stringContaining('nobody caught this'),
    'leaves a child process': expect.stringContaining('a child process'),
    'leaves a child process that may last': 'passed',
    'leaves a timer of what may last': expect.stringContaining('a timer of 700000 ms (setTimeout)'),
    'leaves a child process after one that may last': expect.stringContaining('a child process'),
    'closes what it opened': 'passed',
    'waits for a resource that is closing': 'passed',
    'uses a timer and lets it fire': 'passed',
  })
})
