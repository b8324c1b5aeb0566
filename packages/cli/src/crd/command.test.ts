import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { definitionYaml } from '@wherry/crd'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { arcade, game } from '../testkit/arcade.crd.ts'
import { run } from '../testkit/run.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wherry-cli-'))
})

afterEach(() => rm(folder, { recursive: true }))

const gameFile = 'games.arcade.example.com.yaml'

describe('wherry crd', () => {
  it('K1: prints each definition that a module exports, once', async () => {
    const { status, stdout, stderr } = await run('crd arcade.crd.ts')
    expect([status, stderr]).toEqual([0, ''])
    expect(parseAllDocuments(stdout).map(one => one.toJS())).toEqual([game.definition, arcade.definition])
  })

  it('prints them as JSON, a line each', async () => {
    const { stdout } = await run('crd arcade.crd.ts --json')
    const lines = stdout.trimEnd().split('\n')
    expect(lines.map(line => JSON.parse(line))).toEqual([game.definition, arcade.definition])
  })

  it('writes a file for each, and leaves a current file as it is', async () => {
    const out = join(folder, 'deploy/crd')
    expect(await run(`crd arcade.crd.ts --out ${out}`)).toEqual({
      status: 0,
      stdout: `${out}/${gameFile}: written\n${out}/arcades.arcade.example.com.yaml: written\n`,
      stderr: '',
    })
    expect(await readdir(out)).toEqual(['arcades.arcade.example.com.yaml', gameFile])
    expect(parse(await readFile(join(out, gameFile), 'utf8'))).toEqual(game.definition)
    const commented = `# Applied by CI.\n${definitionYaml(game.definition)}`
    await writeFile(join(out, gameFile), commented)
    expect((await run(`crd arcade.crd.ts --out ${out}`)).stdout).toContain(`${gameFile}: current\n`)
    expect(await readFile(join(out, gameFile), 'utf8')).toBe(commented)
  })

  it('writes and reads no file through a link', async () => {
    await writeFile(join(folder, 'other.yaml'), 'mine')
    await mkdir(join(folder, 'crd'))
    await symlink(join(folder, 'other.yaml'), join(folder, 'crd', gameFile))
    for (const more of ['', ' --check'])
      expect(await run(`crd arcade.crd.ts --out ${folder}/crd${more}`)).toMatchObject({
        status: 1,
        stderr: expect.stringContaining(`${gameFile} is a link: remove it`),
      })
    expect(await readFile(join(folder, 'other.yaml'), 'utf8')).toBe('mine')
  })

  it('K5: --check fails for stale and missing files, with the command that renews them, and writes nothing', async () => {
    const stale = definitionYaml(game.definition).replace('minimum: 1', 'minimum: 2')
    await writeFile(join(folder, gameFile), stale)
    const line = `crd arcade.crd.ts --out ${folder}`
    const checked = await run(`${line} --check`)
    expect(checked).toEqual({
      status: 1,
      stdout: `${folder}/${gameFile}: stale\n${folder}/arcades.arcade.example.com.yaml: missing\n`,
      stderr: `wherry: files are not current; this command renews them: wherry ${line}\n`,
    })
    expect([await readdir(folder), await readFile(join(folder, gameFile), 'utf8')]).toEqual([[gameFile], stale])
    const renew = checked.stderr.split(': wherry ')[1]?.trim() ?? ''
    expect((await run(renew)).status).toBe(0)
    expect(await run(`${line} --check --json`)).toEqual({
      status: 0,
      stdout: ['games', 'arcades']
        .map(plural => `${plural}.arcade.example.com`)
        .map(name => `${JSON.stringify({ name, file: `${folder}/${name}.yaml`, state: 'current' })}\n`)
        .join(''),
      stderr: '',
    })
  })

  it.for([
    ['K1: a schema that the server would refuse', 'refused.crd.ts', 'spec.code: the pattern'],
    ['a module without a definition', 'run.ts', 'has no definition'],
    ['a module that throws', 'throws.crd.ts', "throws.crd.ts can't be loaded: no schema today"],
    ['two that define the same', 'arcade.crd.ts copy.crd.ts', 'both define games.arcade.example.com'],
  ] as const)('ends with 1 and says why: %s', async ([, files, words]) => {
    const { status, stdout, stderr } = await run(`crd ${files}`)
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toContain(words)
  })

  it.for([
    ['crd', "missing required argument 'file'"],
    ['crd none.crd.ts', "none.crd.ts can't be read"],
    ['crd arcade.crd.ts --check', '--check needs --out'],
    ['crd arcade.crd.ts --bogus', "unknown option '--bogus'"],
    ['bogus', "unknown command 'bogus'"],
  ] as const)('takes the command line "%s" for wrong usage', async ([line, words]) => {
    const { status, stdout, stderr } = await run(line)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toContain(words)
  })

  it('prints its help with examples', async () => {
    const { status, stdout } = await run('crd --help')
    expect(status).toBe(0)
    expect(stdout).toContain('wherry crd src/*.crd.ts --out deploy/crd --check')
    expect((await run('--help')).stdout).toMatch(/Usage: wherry[\s\S]+crd/)
  })
})
