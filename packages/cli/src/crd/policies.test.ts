import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { owner, playerLimit } from '../testkit/policies.ts'
import { run } from '../testkit/run.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wherry-policies-'))
})

afterEach(() => rm(folder, { recursive: true }))

const limitFile = 'player-limit.policy.yaml'
const documents = (yaml: string): unknown[] => parseAllDocuments(yaml).map(one => one.toJS())
const all = [playerLimit, owner].flatMap(({ policy, binding }) => [policy, binding])

describe('wherry crd, of a module with policies', () => {
  it('prints each policy and its binding once, after the definitions, also as JSON', async () => {
    const { status, stdout, stderr } = await run('crd policies.ts copy.crd.ts')
    expect([status, stderr]).toEqual([0, ''])
    const [definition, ...policies] = documents(stdout)
    expect(definition).toMatchObject({ kind: 'CustomResourceDefinition' })
    expect(policies).toEqual(all)
    const { stdout: json } = await run('crd policies.ts --json')
    const lines = json.trimEnd().split('\n')
    expect(lines.map(line => JSON.parse(line))).toEqual(all)
  })

  it('writes a file for each with its binding, and leaves a current file as it is', async () => {
    const line = `crd arcade.crd.ts policies.ts --out ${folder}`
    const written = await run(line)
    expect(written).toMatchObject({ status: 0, stderr: '' })
    expect(written.stdout).toContain(`${folder}/${limitFile}: written\n${folder}/owner.policy.yaml: written\n`)
    expect(await readdir(folder)).toEqual([
      'arcades.arcade.example.com.yaml',
      'games.arcade.example.com.yaml',
      'owner.policy.yaml',
      limitFile,
    ])
    const text = await readFile(join(folder, limitFile), 'utf8')
    expect(documents(text)).toEqual([playerLimit.policy, playerLimit.binding])
    const commented = `# Applied by CI.\n${text}`
    await writeFile(join(folder, limitFile), commented)
    expect((await run(line)).stdout).toContain(`${limitFile}: current\n`)
    expect(await readFile(join(folder, limitFile), 'utf8')).toBe(commented)
  })

  it.for([
    ['the policy', 'at most 8 players', 'at most 9 players'],
    ['its binding', '- Deny', '- Warn'],
  ] as const)('K5: --check fails if %s is not what the module says, and writes nothing', async ([, now, other]) => {
    const line = `crd policies.ts --out ${folder}`
    await run(line)
    const file = join(folder, limitFile)
    const stale = (await readFile(file, 'utf8')).replace(now, other)
    expect(stale).toContain(other)
    await writeFile(file, stale)
    await rm(join(folder, 'owner.policy.yaml'))
    expect(await run(`${line} --check`)).toEqual({
      status: 1,
      stdout: `${folder}/${limitFile}: stale\n${folder}/owner.policy.yaml: missing\n`,
      stderr: `wherry: files are not current; this command renews them: wherry ${line}\n`,
    })
    expect(await readFile(file, 'utf8')).toBe(stale)
    expect((await run(line)).status).toBe(0)
    expect((await run(`${line} --check`)).status).toBe(0)
  })

  it.for([
    ['two of one name', 'crd policies.ts copied-policy.ts', 1, 'copied-policy.ts both have a policy owner'],
    ['one without its binding', 'crd half-policy.ts', 1, 'half-policy.ts exports ownerPolicy, a Validating'],
    ['no definition to compare', 'crd policies.ts --diff x.yaml', 2, 'policies.ts has policies alone'],
    ['modules to watch', `crd policies.ts --out x --watch`, 2, '--watch takes files with interfaces'],
  ] as const)('refuses %s', async ([, line, status, words]) => {
    const ran = await run(line)
    expect(ran).toMatchObject({ status, stdout: '' })
    expect(ran.stderr).toContain(words)
  })

  it('--diff compares the definitions, and leaves the policies out', async () => {
    const old = join(folder, 'old.yaml')
    await writeFile(old, (await run('crd arcade.crd.ts')).stdout)
    const { status, stdout } = await run(`crd policies.ts arcade.crd.ts --diff ${old} --json`)
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
  })
})
