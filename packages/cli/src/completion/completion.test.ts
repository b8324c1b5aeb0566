import { execFileSync, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { run } from '../testkit/run.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wherry-completion-'))
  await mkdir(join(folder, 'deploy here'))
  await writeFile(join(folder, 'game.ts'), '')
})

afterEach(() => rm(folder, { recursive: true }))

const has = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0

/** What bash offers for the last of these words. */
async function offered(words: readonly string[]): Promise<string[]> {
  const { stdout } = await run('completion bash')
  const script = `${stdout}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _wherry; printf '%s\\n' "\${COMPREPLY[@]}"`
  const printed = execFileSync('bash', ['--norc', '-c', script, 'bash', ...words], { cwd: folder, encoding: 'utf8' })
  return printed.split('\n').filter(Boolean)
}

describe.runIf(has('bash'))('wherry completion bash', () => {
  it('offers the commands', async () => {
    expect(await offered(['wherry', ''])).toEqual([
      'create',
      'add',
      'dev',
      'crd',
      'types',
      'rbac',
      'manifests',
      'convert',
      'server',
      'audit',
      'check',
      'completion',
    ])
    expect(await offered(['wherry', 't'])).toEqual(['types'])
  })

  it('offers the options of the command', async () => {
    const options = ['--out', '--check', '--watch', '--diff', '--kustomization', '--json', '--help']
    expect(await offered(['wherry', 'crd', 'game.ts', '--'])).toEqual(options)
    expect(await offered(['wherry', 'types', '--c'])).toEqual(['--check'])
  })

  it('offers folders for --out, by their whole names', async () => {
    expect(await offered(['wherry', 'crd', 'game.ts', '--out', ''])).toEqual(['deploy here'])
  })

  it('leaves files to bash, for arguments and for values of options', async () => {
    expect(await offered(['wherry', 'crd', ''])).toEqual([])
    expect(await offered(['wherry', 'crd', 'game.ts', '--diff', ''])).toEqual([])
    const { stdout } = await run('completion bash')
    const registered = execFileSync('bash', ['--norc', '-c', `${stdout}\ncomplete -p wherry`], { encoding: 'utf8' })
    expect(registered).toBe('complete -o default -F _wherry wherry\n')
  })

  it('offers the shells', async () => {
    expect(await offered(['wherry', 'completion', ''])).toEqual(['bash', 'zsh', 'fish'])
  })
})

describe('wherry completion', () => {
  it.for(['zsh', 'fish'] as const)('names each option in the script for %s, which the shell can read', async shell => {
    const { status, stdout } = await run(`completion ${shell}`)
    expect(status).toBe(0)
    for (const name of ['create', 'crd', 'types', 'completion', 'out', 'check', 'watch', 'diff', 'json', 'help'])
      expect(stdout).toMatch(new RegExp(`\\b${name}\\b`))
    if (has(shell)) expect(spawnSync(shell, ['-n'], { input: stdout, encoding: 'utf8' }).stderr).toBe('')
  })

  it('ends with 2 for a shell that it does not know', async () => {
    const { status, stdout, stderr } = await run('completion tcsh')
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toContain('bash, zsh, fish')
  })
})
