import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryProject } from '../testkit/project.ts'
import { run } from '../testkit/run.ts'

it('K1: names the path of a rule that costs too much, and of one that does not compile', async () => {
  const { status, stdout, stderr } = await run('crd rules.crd.ts')
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toContain(
    'rules.crd.ts: spec.names: x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget',
  )
  // It is not even defined.
  const other = await run('crd rule.crd.ts')
  expect([other.status, other.stdout]).toEqual([1, ''])
  expect(other.stderr).toContain("rule.crd.ts can't be loaded: spec.players: x-kubernetes-validations[0].rule:")
  expect(other.stderr).toContain('compilation failed: ERROR:')
})

it('K1: names the file and line of the field in an interface, of whichever version', async () => {
  await using project = await temporaryProject()
  const version = (name: string, tags: string, rule: string): string[] => [
    `/**`,
    ` * @group arcade.example.com`,
    ` * @kind Game`,
    ` * @version ${name} ${tags}`,
    ` */`,
    `export interface Game${name} {`,
    `  spec: { players: {`,
    `    /** @validation \`${rule}\` wrong */`,
    `    name: string`,
    `  }[] }`,
    `}`,
  ]
  const lines = [...version('v1', '\n * @storage', 'self != ""'), ...version('v2', '', 'self.none')]
  await writeFile(join(project.folder, 'game.ts'), lines.join('\n'))
  const { status, stderr } = await run('crd game.ts', project.folder)
  expect(status).toBe(1)
  expect(stderr).toMatch(
    /^wherry: game\.ts:21: spec\.players\[\]\.name: x-kubernetes-validations\[0\]\.rule: Invalid value:/,
  )
  expect(stderr).not.toContain('game.ts:10')
})
