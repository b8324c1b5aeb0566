import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../../tools/workspace.ts'
import { auditedPrograms } from './audited-programs.ts'

/** Runs `npm run audits` from source, with no toolchain on the PATH. */
function audits(...args: readonly string[]): { readonly status: number | null; readonly stderr: string } {
  const all = ['--import', join(root, 'test/examples/from-source.ts'), join(root, 'test/audit/main.ts'), ...args]
  return spawnSync(process.execPath, all, { encoding: 'utf8', env: { ...process.env, PATH: '/nowhere' } })
}

it.each([
  ['go', 'go'],
  ['kube-rs', 'cargo'],
  ['kopf', 'python3'],
])('the audit of %s says in one line that %s is missing, and runs nothing', (name, tool) => {
  const { status, stderr } = audits('wherry', name)
  expect(stderr).toMatch(new RegExp(`^${name} \\(.+\\) needs ${tool}, which is not on the PATH: [^\\n]+\\n$`))
  expect(status).toBe(1)
})

it('a program that does not exist is named', () => {
  const { status, stderr } = audits('flux')
  expect(stderr).toMatch(/^no such program: flux\nusage: .+\nprograms: go, go-by-object, kube-rs, /)
  expect(status).toBe(2)
})

const page = readFileSync(join(root, 'docs/audit.md'), 'utf8')

it.each(auditedPrograms())(
  'the table of docs/audit.md has the expected findings of $name',
  ({ library, ...program }) => {
    const [name = ''] = library.split(' ')
    const row = page.split('\n').find(line => line.startsWith(`| ${name}`) && line.includes(`| ${program.reads} |`))
    const cells = row?.split(' | ') ?? []
    expect(cells[4]).toBe(program.expected.map(finding => `\`${finding}\``).join(', ') || 'none')
  },
)
