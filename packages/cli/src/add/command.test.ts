import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { run } from '../testkit/run.ts'
import { wired } from './wired.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wherry-add-'))
  await mkdir(join(folder, 'src'))
  await writeFile(join(folder, 'src/main.ts'), program)
  await writeFile(join(folder, 'src/game.ts'), game('Game'))
  await writeFile(join(folder, 'package.json'), '{"name":"arcade","dependencies":{"@wherry/controller":"^1.0.0"}}')
})

afterEach(() => rm(folder, { recursive: true }))

const program = "import { Operator } from '@wherry/controller'\n\nconst operator = make()\nawait operator.run()\n"
const game = (kind: string): string =>
  `export const games = defineResource<Game>({ group: 'arcade.example.com', version: 'v1', kind: '${kind}', plural: 'games' })\n`

it('add webhook writes the files of a program in any folder, with the operator named as the package is', async () => {
  expect(await run('add webhook player-limit --for Game', folder)).toMatchObject({ status: 0, stderr: '' })
  expect(await readFile(join(folder, 'src/main.ts'), 'utf8')).toBe(`import { Operator } from '@wherry/controller'
import { Webhooks } from '@wherry/webhook'
import { playerLimitWebhook } from './webhooks/player-limit.ts'

const operator = make()
// \`service\` is the Service that \`wherry manifests\` writes. While no replica serves, requests for resources of \`groups\` are refused: failurePolicy Fail.
const webhooks = new Webhooks(operator, { service: 'arcade', groups: ['arcade.example.com'] })
playerLimitWebhook(webhooks)
await operator.run()
`)
  const { dependencies } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  expect(dependencies).toEqual({ '@wherry/controller': '^1.0.0', '@wherry/webhook': '^1.0.0' })
  await writeFile(join(folder, 'main.ts'), program)
  expect((await run('add webhook owner --for Game --program main.ts', folder)).status).toBe(0)
  expect(await readFile(join(folder, 'webhooks/owner.ts'), 'utf8')).toContain("from '../src/game.ts'")
  expect(await readFile(join(folder, 'test/owner.test.ts'), 'utf8')).toContain("from '../webhooks/owner.ts'")
})

it.each([
  ['Player --for Game', 2, 'Player: the name of a webhook'],
  ['limits --for Pod', 1, 'no file in src exports it as defineResource({ … }); they export Game'],
  ['limits --for Game --program other.ts', 2, 'other.ts is not there'],
  ['limits', 2, "'--for <Kind>' not specified"],
])('add webhook %s is refused, and writes nothing', async (more, status, message) => {
  const ran = await run(`add webhook ${more}`, folder)
  expect(ran.status).toBe(status)
  expect(ran.stderr).toContain(message)
  expect((await readdir(folder)).sort()).toEqual(['package.json', 'src'])
})

it('add webhook overwrites nothing, and asks for one declaration of the kind', async () => {
  await run('add webhook limits --for Game', folder)
  const again = await run('add webhook limits --for Game', folder)
  expect(again).toMatchObject({ status: 1, stderr: expect.stringContaining('limits.ts is there already') })
  await writeFile(join(folder, 'src/other.ts'), game('Game'))
  const two = await run('add webhook owner --for Game', folder)
  expect(two.stderr).toContain('--for Game: game.ts and other.ts declare it')
  await writeFile(join(folder, 'package.json'), '{}')
  await rm(join(folder, 'src/other.ts'))
  expect((await run('add webhook owner --for Game', folder)).stderr).toContain('has no dependency @wherry/controller')
})

const resource = {
  ...{ constant: 'games', file: 'game.ts', group: 'arcade.example.com', version: 'v1', kind: 'Game', plural: 'games' },
}
const limits = { name: 'limits', mutates: false, resource, operator: 'arcade' }

it.each([
  ['has no run', program.replace('await operator.run()', 'start(operator)')],
  ['runs two operators', `${program}await operator.run()\n`],
  ['runs it in a function', program.replace('await operator.run()', 'async () => { await operator.run() }')],
  ['has such a constant', program.replace('make()', 'make()\nconst webhooks = []')],
  ['has such a class', program.replace('make()', 'make()\nclass Webhooks {}')],
  ['has such a function', `${program}function limitsWebhook() {}\n`],
  ['has no import', program.replace(/^import.*\n/, '')],
])('a program that %s is not changed', (_, text) => {
  expect(wired(text, limits)).toBeUndefined()
})

it('a program keeps its ends of lines, its comments, and the Webhooks that it has', () => {
  const text = program.replaceAll('\n', '\r\n')
  expect(wired(text, limits)?.replaceAll('\r\n', '')).not.toContain('\n')
  const mine = `import { Webhooks } from '@wherry/webhook'
const op = make()
const hooks = new Webhooks(op, {})
// Until it is stopped.
await op.run()
`
  expect(wired(mine, limits)).toBe(`import { Webhooks } from '@wherry/webhook'
import { limitsWebhook } from './webhooks/limits.ts'
const op = make()
const hooks = new Webhooks(op, {})
// Until it is stopped.
limitsWebhook(hooks)
await op.run()
`)
})
