import { globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { DefinitionFiles } from '@wherry/cli/crd/definition-files'
import { checkManifest, generatedDefinition, generatedPolicy, type Manifest } from '@wherry/cli/crd/manifests'
import { SourceFiles } from '@wherry/cli/interface/source-files'
import { expect, it } from 'vitest'
import { root } from '../../tools/workspace.ts'

const examples = join(import.meta.dirname, '../../examples')
const names = globSync('{*,ported/*}/package.json', { cwd: examples }).map(dirname).sort()

/** What `npm run crd` of an example runs: `wherry crd game.ts --out deploy/crd`, and `npm run policy` if there is one. */
function commandsOf(name: string): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(join(examples, name, 'package.json'), 'utf8'))
  return [scripts?.crd, scripts?.policy].filter(one => one !== undefined)
}

const made = names.map(name => ({ name, commands: commandsOf(name) })).filter(({ commands }) => commands.length > 0)

/** All examples extend one tsconfig.json, and import the same packages. To parse these takes longer than all else here. */
const sources = new SourceFiles()

/** What `wherry crd FILE… --out deploy/crd --check` does, in a folder. */
async function manifestsOf(files: readonly string[], cwd: string): Promise<Manifest[]> {
  const { definitions, policies } = await new DefinitionFiles(files, cwd, sources).exported()
  const all = [...definitions.map(generatedDefinition), ...policies.map(generatedPolicy)]
  return Promise.all(all.map(one => checkManifest(one, 'deploy/crd', cwd)))
}

it.each(made)('K5: the definitions and policies of $name are those of its sources', async ({ name, commands }) => {
  const cwd = join(examples, name)
  const files = commands.map(command => /^wherry crd (.+) --out deploy\/crd$/.exec(command)?.[1] ?? '')
  const manifests = await manifestsOf(files.join(' ').split(' '), cwd)
  const states = manifests.map(({ file, state }) => [file, state]).sort()
  const there = readdirSync(join(cwd, 'deploy/crd')).map(file => [`deploy/crd/${file}`, 'current'])
  // The packages need not be built for this.
  const up = relative(cwd, root)
  const source = `node --import ${up}/test/examples/from-source.ts ${up}/packages/cli/src/bin.ts`
  const renew = commands.map(command => command.replace('wherry', source)).join(' && ')
  expect(states, `To renew them: (cd examples/${name} && ${renew})`).toEqual(there.sort())
})

it('K5: the definitions of the operators of the first week are those of their interfaces', async () => {
  const cwd = join(import.meta.dirname, '../operator/first-week')
  const manifests = await manifestsOf(['cronjob.ts', 'memcached.ts', 'policy.ts'], cwd)
  expect(manifests).not.toEqual([])
  expect(manifests.filter(({ state }) => state !== 'current')).toEqual([])
})

/** Whether a file below this folder defines a resource, but for those of packages. */
function hasDefinition(folder: string): boolean {
  return readdirSync(folder, { withFileTypes: true }).some(entry => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name !== 'node_modules' && hasDefinition(path)
    return /\.ya?ml$/.test(path) && /^kind: CustomResourceDefinition$/m.test(readFileSync(path, 'utf8'))
  })
}

it('no example has a definition that is made in another way', () => {
  expect(names.filter(name => hasDefinition(join(examples, name)))).toEqual(made.map(({ name }) => name))
  for (const command of made.flatMap(({ commands }) => commands))
    expect(command).toMatch(/^wherry crd .+\.ts --out deploy\/crd$/)
})
