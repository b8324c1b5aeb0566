import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { commandsOf } from '../check/command-line.ts'
import { runCommand } from '../run.ts'
import { run } from '../testkit/run.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wherry-create-'))
})

afterEach(() => rm(folder, { recursive: true }))

it('create writes fourteen files, each of which names the kind that was asked for', async () => {
  const { status, stdout } = await run('create game-operator --group arcade.example.com --kind Game', folder)
  expect(status).toBe(0)
  const found = await readdir(join(folder, 'game-operator'), { recursive: true, withFileTypes: true })
  const files = found.filter(one => one.isFile()).map(one => join(one.parentPath, one.name))
  expect(files.map(file => file.slice(join(folder, 'game-operator').length + 1)).sort()).toEqual(
    [
      ...[
        '.github/workflows/ci.yaml',
        '.gitignore',
        'AGENTS.md',
        'Dockerfile',
        'README.md',
        'package.json',
        'tsconfig.json',
      ],
      ...['deploy/crd/games.arcade.example.com.yaml', 'deploy/game-operator.yaml', 'deploy/kustomization.yaml'],
      ...['src/game.ts', 'src/main.ts', 'src/reconcile.ts', 'test/reconcile.test.ts'],
    ]
      .map(file => join(file))
      .sort(),
  )
  for (const file of files) {
    const text = await readFile(file, 'utf8')
    // AGENTS.md shows a template of TypeScript.
    expect(text.replaceAll('${operator.explain(', ''), file).not.toMatch(/\$\{|undefined/)
    expect(stdout).toContain(file.slice(folder.length + 1))
  }
  const { scripts } = JSON.parse(await readFile(join(folder, 'game-operator/package.json'), 'utf8'))
  // What `wherry check` reads.
  for (const script of Object.values<string>(scripts)) expect(() => commandsOf(script, folder)).not.toThrow()
})

it('create --schema zod describes the kind by a schema, which the operator does not load', async () => {
  const line = 'create game-operator --group arcade.example.com --kind Game --schema zod'
  expect((await run(line, folder)).status).toBe(0)
  const read = (file: string): Promise<string> => readFile(join(folder, 'game-operator', file), 'utf8')
  expect(await read('src/game.crd.ts')).toContain("import { z } from 'zod'")
  expect(await read('src/reconcile.ts')).toContain("import type { Game } from './game.crd.ts'")
  expect(JSON.parse(await read('package.json')).scripts.crd).toBe('wherry crd src/game.crd.ts --out deploy/crd')
  expect((await readdir(join(folder, 'game-operator/src'))).sort()).toEqual(['game.crd.ts', 'main.ts', 'reconcile.ts'])
  expect((await run(`${line.replace('zod', 'joi')}`, folder)).status).toBe(2)
})

it('create leaves a folder that is there alone', async () => {
  const line = 'create game-operator --group arcade.example.com --kind Game'
  await run(line, folder)
  expect(await run(line, folder)).toMatchObject({ status: 1, stderr: expect.stringContaining('is there already') })
})

it.each([
  ['Game-operator', 'arcade.example.com', 'Game', 'Game-operator: the name'],
  ['game', 'arcade', 'Game', '--group arcade'],
  ['game', 'arcade.example.com', 'game', '--kind game'],
  ['../game', 'arcade.example.com', 'Game', '../game: the name'],
])('create refuses %s, %s and %s', async (name, group, kind, message) => {
  const { status, stderr } = await run(`create ${name} --group ${group} --kind ${kind}`, folder)
  expect(status).toBe(2)
  expect(stderr).toContain(message)
  expect(await readdir(folder)).toEqual([])
})

it('create asks for what the command line does not say, and refuses if nobody is there', async () => {
  const asked: string[] = []
  const answers = ['arcade.example.com', ' Game ']
  let said = ''
  const write = (text: string): void => {
    said += text
  }
  const ask = async (question: string): Promise<string> => {
    asked.push(question)
    return answers.shift() ?? ''
  }
  const host = { stdout: { write }, stderr: { write }, cwd: folder, ask }
  expect(await runCommand(['create', 'game-operator'], host)).toBe(0)
  expect(asked).toEqual([expect.stringContaining('API group'), expect.stringContaining('kind')])
  expect(said).toContain('game-operator/src/game.ts')
  expect(await run('create other --group arcade.example.com', folder)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--kind is missing'),
  })
  expect((await run('create', folder)).stderr).toContain('the name is missing')
})
