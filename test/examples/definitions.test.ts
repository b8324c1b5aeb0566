import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '@wherry/cli'
import { expect, it } from 'vitest'

const examples = join(import.meta.dirname, '../../examples')
const names = readdirSync(examples).filter(name => existsSync(join(examples, name, 'package.json')))

/** What `npm run crd` of an example runs: `wherry crd game.ts --out deploy/crd`. */
function commandOf(name: string): string | undefined {
  const { scripts } = JSON.parse(readFileSync(join(examples, name, 'package.json'), 'utf8'))
  return scripts?.crd
}

const made = names.flatMap(name => {
  const command = commandOf(name)
  return command === undefined ? [] : [{ name, command }]
})

it.each(made)('K5: the definitions of $name are those of its interfaces', async ({ name, command }) => {
  const [, ...args] = command.split(' ')
  const cwd = join(examples, name)
  let said = ''
  const output = { write: (text: string) => (said += text) }
  const status = await runCommand([...args, '--check', '--json'], { cwd, stdout: output, stderr: output })
  // The packages need not be built for this.
  const source = 'node --import ../../test/examples/from-source.ts ../../packages/cli/src/bin.ts'
  expect(status, `${said}\nTo renew them: (cd examples/${name} && ${source} ${args.join(' ')})`).toBe(0)
  const files = said.match(/(?<="file":")[^"]+/g) ?? []
  expect(readdirSync(join(cwd, 'deploy/crd')).map(file => `deploy/crd/${file}`)).toEqual(files.sort())
})

it('K5: the definitions of the operators of the first week are those of their interfaces', async () => {
  const cwd = join(import.meta.dirname, '../operator/first-week')
  let said = ''
  const output = { write: (text: string) => (said += text) }
  const args = ['crd', 'cronjob.ts', 'memcached.ts', 'policy.ts', '--out', 'deploy/crd']
  expect(await runCommand([...args, '--check'], { cwd, stdout: output, stderr: output }), said).toBe(0)
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
