import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const fromSource = new URL('../examples/from-source.ts', import.meta.url).href
const commandLine = new URL('../../packages/cli/src/bin.ts', import.meta.url).pathname
const program = `import { Operator } from '@wherry/controller'
import { addGame } from './reconcile.ts'

const operator = await Operator.connect({
  name: 'arcade',
  leader: true,
  health: { host: '0.0.0.0', port: Number(process.env.PORT ?? 8080) },
})
addGame(operator)
await operator.run()
`

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wherry-created-webhook-'))
})

afterEach(() => rm(folder, { recursive: true }))

/** Runs Node on the sources of our packages. */
async function node(cwd: string, ...args: string[]): Promise<string> {
  const env: NodeJS.ProcessEnv = { ...process.env, NODE_OPTIONS: `--import ${fromSource}` }
  // Of a test in a test, Node's runner prints nothing.
  delete env.NODE_TEST_CONTEXT
  try {
    return (await promisify(execFile)(process.execPath, args, { cwd, env })).stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    throw new Error(`${args.join(' ')} failed:\n${stdout}${stderr}`)
  }
}

const wherry = (cwd: string, line: string): Promise<string> => node(cwd, commandLine, ...line.split(' '))
const create = 'create arcade --group arcade.example.com --kind Game'

describe.each(['interface', 'zod'])('a new project with a webhook (schema: %s)', schema => {
  it('K5: its tests pass with the rights of its manifests, which are current', async () => {
    await wherry(folder, `${create} --schema ${schema} --webhook`)
    const project = join(folder, 'arcade')
    expect(await node(project, '--test')).toMatch(/pass 2\n.*\n?.*fail 0\n/)
    const line = 'manifests src/main.ts --name arcade --out deploy --check'
    expect(await wherry(project, line)).toBe('deploy/arcade.yaml: current\ndeploy/kustomization.yaml: current\n')
  })
})

it('add makes of a project without webhooks the same as create --webhook, and a second one is added to the first', async () => {
  await wherry(folder, create)
  const project = join(folder, 'arcade')
  const read = (file: string): Promise<string> => readFile(join(project, file), 'utf8')
  expect(await read('src/main.ts')).toBe(program)
  const said = await wherry(project, 'add webhook limits --for Game')
  expect(said).toBe(`src/webhooks/limits.ts
test/limits.test.ts
src/main.ts
package.json

npm install
npm test
npm run manifests
`)
  const main = await read('src/main.ts')
  await wherry(folder, `${create.replace('arcade', 'other')} --webhook`)
  const other = (file: string): Promise<string> => readFile(join(folder, 'other', file), 'utf8')
  expect(main).toBe((await other('src/main.ts')).replaceAll("'other'", "'arcade'"))
  expect(await read('src/webhooks/limits.ts')).toBe(await other('src/webhooks/limits.ts'))
  expect(JSON.parse(await read('package.json')).dependencies).toEqual(
    JSON.parse(await other('package.json')).dependencies,
  )
  expect(await wherry(project, 'add webhook owner --for Game --mutate')).not.toContain('package.json')
  expect(await read('src/main.ts')).toContain('limitsWebhook(webhooks)\nownerWebhook(webhooks)\nawait operator.run()\n')
  expect(await node(project, '--test')).toMatch(/pass 3\n.*\n?.*fail 0\n/)
  await wherry(project, 'manifests src/main.ts --name arcade --out deploy')
  expect(await read('deploy/arcade.yaml')).toContain('- mutatingwebhookconfigurations\n')
})

it('a program that add can not change for sure stays as it is, and the lines to add are printed', async () => {
  await wherry(folder, create)
  const project = join(folder, 'arcade')
  const main = join(project, 'src/main.ts')
  const mine = program.replace('await operator.run()', 'void operator.run()')
  await writeFile(main, mine)
  expect(await wherry(project, 'add webhook limits --for Game')).toContain(`
Add these lines to src/main.ts, before the operator runs:

import { Webhooks } from '@wherry/webhook'
import { limitsWebhook } from './webhooks/limits.ts'
// \`service\` is the Service that \`wherry manifests\` writes. While no replica serves, requests for resources of \`groups\` are refused: failurePolicy Fail.
const webhooks = new Webhooks(operator, { service: 'arcade', groups: ['arcade.example.com'] })
limitsWebhook(webhooks)
`)
  expect(await readFile(main, 'utf8')).toBe(mine)
})
