import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { recordIn } from '../testkit/published.ts'
import { run } from '../testkit/run.ts'
import { commandsOf } from './command-line.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wherry-check-'))
})

afterEach(() => rm(folder, { recursive: true }))

const scripts = (all: Readonly<Record<string, string>>): Promise<void> =>
  writeFile(join(folder, 'package.json'), JSON.stringify({ scripts: all }))

const games = { verb: 'watch', group: 'arcade.example.com', resource: 'games', namespace: 'game' }

it('K5: check fails for each stale file of the scripts with the command that renews it, and writes nothing', async () => {
  await recordIn(folder, 'plays', [games])
  const rights = 'wherry rbac --name game --out deploy'
  await scripts({
    test: 'vitest run',
    generate: `npx ${rights} && wherry manifests --name 'game' --out "deploy"`,
    again: rights,
    print: 'wherry rbac',
  })
  const renewed = (what: string): string =>
    `wherry: files are not current; this command renews them: wherry ${what} --name game --out deploy\n`
  const stale = await run('check', folder)
  expect(stale.status).toBe(1)
  expect(stale.stdout.match(/\S+(?=: missing)/g)).toEqual(
    ['game.rbac.yaml', 'game.yaml', 'kustomization.yaml'].map(name => join('deploy', name)),
  )
  expect(stale.stderr).toContain(renewed('rbac'))
  expect(stale.stderr).toContain(renewed('manifests'))
  expect(stale.stderr).toMatch(/wherry: 2 of 2 commands found files that are not current\n$/)
  await expect(readFile(join(folder, 'deploy/game.yaml'))).rejects.toMatchObject({ code: 'ENOENT' })

  await run('rbac --name game --out deploy', folder)
  expect((await run('check', folder)).stderr).toMatch(/wherry: 1 of 2 commands found/)
  await run('manifests --name game --out deploy', folder)
  expect(await run('check', folder)).toMatchObject({ status: 0, stdout: expect.not.stringContaining('missing') })
})

it('K5: check does not call files stale that it could not check', async () => {
  const watched = { verb: 'watch', group: '', resource: 'secrets', namespace: 'game', name: 'key' }
  await recordIn(folder, 'plays', [watched])
  await scripts({ manifests: 'wherry manifests --name game --out deploy' })
  const { status, stderr } = await run('check', folder)
  expect(status).toBe(1)
  expect(stderr).toContain('say --fixed-name secrets')
  expect(stderr).toContain('in the command of your script in package.json')
  expect(stderr).toMatch(/wherry: the files of 1 of 1 commands could not be checked\n$/)
  await scripts({ manifests: 'wherry manifests --name game --out deploy --fixed-name secrets' })
  expect((await run('check', folder)).stderr).toMatch(/wherry: 1 of 1 commands found files that are not current\n$/)
})

it('K5: check finds the files that a pattern names', async () => {
  const definition = {
    ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
    metadata: { name: 'games.arcade.example.com' },
    spec: {
      ...{ group: 'arcade.example.com', scope: 'Namespaced', names: { plural: 'games', kind: 'Game' } },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  }
  await mkdir(join(folder, 'vendor'))
  await writeFile(join(folder, 'vendor/games.json'), JSON.stringify(definition))
  await scripts({ types: 'wherry types vendor/*.json --out src/types' })
  expect((await run('check', folder)).stdout).toContain('game.ts: missing')
  await run('types vendor/games.json --out src/types', folder)
  expect(await run('check', folder)).toMatchObject({ status: 0, stderr: '' })
})

it.each([
  [{}, 2, 'no script of package.json has a command'],
  [{ crd: 'wherry crd src/*.ts --out deploy --watch' }, 2, 'no script of package.json has a command'],
  [{ rbac: 'wherry rbac --name $NAME --out deploy' }, 1, 'the script rbac has $, which only a shell understands'],
  [{ rbac: 'wherry rbac --out deploy' }, 1, 'no rights are recorded'],
  [{ rbac: 'npx --yes wherry rbac --out deploy' }, 1, 'no rights are recorded'],
  [{ rbac: 'pnpm exec wherry rbac --out deploy' }, 1, 'no rights are recorded'],
  [{ rbac: 'A=b node_modules/.bin/wherry rbac --out deploy' }, 1, 'no rights are recorded'],
  [{ crd: 'cross-env A=b wherry crd a.ts --out deploy' }, 1, 'the script crd runs wherry by cross-env'],
  [{ say: 'echo wherry' }, 2, 'no script of package.json has a command'],
])('K5: check of %j ends with %i', async (all, status, message) => {
  await scripts(all)
  const ran = await run('check', folder)
  expect(ran.status).toBe(status)
  expect(ran.stderr).toContain(message)
})

it('check needs a package.json', async () => {
  expect(await run('check', folder)).toMatchObject({ status: 2, stderr: expect.stringContaining('no package.json') })
})

it.each([
  ['a b  c', [['a', 'b', 'c']]],
  ['a && b c; d', [['a'], ['b', 'c'], ['d']]],
  [`a "b c" 'd "e"' f\\ g h"i"j`, [['a', 'b c', 'd "e"', 'f g', 'hij']]],
  [`a '$b' "*"`, [['a', '$b', '*']]],
  ['a none*.ts', [['a', 'none*.ts']]],
])('a script is split as a shell does: %s', (script, commands) => {
  expect(commandsOf(script, folder)).toEqual(commands)
})

it.each(['a $B', 'a "$B"', 'a | b', 'a > b', 'a `b`', 'a (b)', 'a "b', 'a & b', 'a ~/b'])(
  'what only a shell understands is refused: %s',
  script => {
    expect(() => commandsOf(script, folder)).toThrow(expect.objectContaining({ name: 'ShellSyntaxError' }))
  },
)
