import { globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { DefinitionFiles } from '@wherry/cli/crd/definition-files'
import { checkManifest, type Manifest } from '@wherry/cli/crd/manifests'
import { SourceFiles } from '@wherry/cli/interface/source-files'
import { expect, it } from 'vitest'
import { root } from '../../tools/workspace.ts'

const examples = join(import.meta.dirname, '../../examples')
const names = globSync('{*,ported/*}/package.json', { cwd: examples }).map(dirname).sort()

/** What `npm run crd` of an example runs: `wherry crd game.ts --out deploy/crd`. */
function commandOf(name: string): string | undefined {
  const { scripts } = JSON.parse(readFileSync(join(examples, name, 'package.json'), 'utf8'))
  return scripts?.crd
}

const made = names.flatMap(name => {
  const command = commandOf(name)
  return command === undefined ? [] : [{ name, command }]
})

/** All examples extend one tsconfig.json, and import the same packages. To parse these takes longer than all else here. */
const sources = new SourceFiles()

/** What `wherry crd FILE… --out deploy/crd --check` does, in a folder. */
async function manifestsOf(files: readonly string[], cwd: string): Promise<Manifest[]> {
  const definitions = await new DefinitionFiles(files, cwd, sources).definitions()
  return Promise.all(definitions.map(definition => checkManifest(definition, 'deploy/crd', cwd)))
}

it.each(made)('K5: the definitions of $name are those of its interfaces', async ({ name, command }) => {
  const cwd = join(examples, name)
  const [, files = ''] = /^wherry crd (.+) --out deploy\/crd$/.exec(command) ?? []
  const manifests = await manifestsOf(files.split(' '), cwd)
  const states = manifests.map(({ file, state }) => [file, state]).sort()
  const there = readdirSync(join(cwd, 'deploy/crd')).map(file => [`deploy/crd/${file}`, 'current'])
  // The packages need not be built for this.
  const up = relative(cwd, root)
  const source = `node --import ${up}/test/examples/from-source.ts ${up}/packages/cli/src/bin.ts`
  expect(states, `To renew them: (cd examples/${name} && ${command.replace('wherry', source)})`).toEqual(there.sort())
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
  for (const { command } of made) expect(command).toMatch(/^wherry crd .+\.ts --out deploy\/crd$/)
})
