import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { childFlags } from '@wherry/apiserver/isolated/child-flags'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { command, toolEnvironment } from '../../../tools/test/command.ts'

let folder: string

/** For Node's test runner: its processes read the packages from their sources. */
function environment(): NodeJS.ProcessEnv {
  return { ...toolEnvironment(), NODE_NO_WARNINGS: '1', NODE_OPTIONS: childFlags().join(' ') }
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wherry-node-test-'))
})

afterEach(() => rm(folder, { recursive: true }))

it("K4: setUpApiServer works with Node's test runner: rights are recorded of tests that pass, and an error fails it", async () => {
  const source = JSON.stringify(join(import.meta.dirname, 'node-test.ts'))
  await writeFile(
    join(folder, 'a.test.ts'),
    `
import { strict as assert } from 'node:assert'
import { describe, test } from 'node:test'
import { setUpApiServer } from ${source}

const cluster = setUpApiServer({ rights: [{ verbs: ['list'], apiGroups: [''], resources: ['configmaps'] }] })

test('first', () => assert.equal(cluster.namespace, 'test-1'))
describe('second', () => {
  test('fails', () => {
    assert.equal(cluster.namespace, 'test-2')
    cluster.operator.environment.onError(new Error('chess is too big'), { phase: 'reconcile' })
  })
})
`,
  )
  const env = environment()
  const { code, output } = await command(process.execPath, ['--test'], { cwd: folder, env, limitMs: 120_000 })
  expect(output).toContain('the test did not expect the error of reconcile: chess is too big')
  expect(output).toMatch(/pass 1\b/)
  expect(output).toMatch(/fail 1\b/)
  expect(code).toBe(1)
  const files = await readdir(join(folder, '.wherry/rights'))
  expect(files.map(file => file.replace(/-\w+\.json$/, '')).sort()).toEqual(['first'])
})

it('K4: a test that fails, in itself or by an error, leaves what it recorded when it passed; a left operator fails it and ends', async () => {
  const source = JSON.stringify(join(import.meta.dirname, 'node-test.ts'))
  const written = (body: string) => `
import { strict as assert } from 'node:assert'
import { channel } from 'node:diagnostics_channel'
import { test } from 'node:test'
import { setUpApiServer } from ${source}

const cluster = setUpApiServer({ rights: [{ verbs: ['list', 'get'], apiGroups: [''], resources: ['configmaps', 'secrets'] }] })
const list = async what => {
  const headers = { authorization: 'Bearer ' + cluster.operator.token }
  const { port, protocol } = new URL(cluster.operator.url)
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  const answer = await fetch(protocol + '//127.0.0.1:' + port + '/api/v1/namespaces/' + cluster.namespace + '/' + what, { headers })
  assert.equal(answer.status, 200)
}
test('lists', async () => { ${body} })
`
  const env = environment()
  const run = async (body: string) => {
    await writeFile(join(folder, 'a.test.ts'), written(body))
    const { code, output } = await command(process.execPath, ['--test'], { cwd: folder, env, limitMs: 120_000 })
    const rights = join(folder, '.wherry/rights')
    const files = await readdir(rights)
    return { code, output, recorded: await Promise.all(files.map(file => readFile(join(rights, file), 'utf8'))) }
  }
  const green = await run(`await list('configmaps'); await cluster.server.resetStats(); await list('secrets')`)
  expect(green.code, green.output).toBe(0)
  expect(green.recorded).toEqual([expect.stringMatching(/configmaps(.|\n)*secrets/)])
  const failing = [
    `await list('configmaps'); assert.fail('no')`,
    `await list('configmaps'); cluster.operator.environment.onError(new Error('x'), { phase: 'reconcile' })`,
    `await list('configmaps'); let ended = false; const alive = setInterval(() => {}, 1000)
     channel('wherry.operator.start').publish({
       name: 'chess-operator', isEnding: () => ended, close: async () => { ended = true; clearInterval(alive) },
     })`,
  ]
  const outputs: string[] = []
  for (const body of failing) {
    const { code, output, recorded } = await run(body)
    outputs.push(output)
    expect(code).toBe(1)
    expect(recorded).toEqual(green.recorded)
  }
  expect(outputs[2]).toContain('the test left an operator running, which would keep the process alive: chess-operator')
})

it('K4: what a renamed or deleted test recorded is deleted by a whole green run, and by no other', async () => {
  const source = JSON.stringify(join(import.meta.dirname, 'node-test.ts'))
  const env = environment()
  const run = async (tests: readonly string[], ...args: string[]) => {
    const text = `
import { describe, test } from 'node:test'
import { setUpApiServer } from ${source}
setUpApiServer({ rights: [{ verbs: ['list'], apiGroups: [''], resources: ['configmaps'] }] })
${tests.join('\n')}
`
    await writeFile(join(folder, 'a.test.ts'), text)
    const { code, output } = await command(process.execPath, ['--test', ...args], {
      cwd: folder,
      env,
      limitMs: 120_000,
    })
    const files = await readdir(join(folder, '.wherry/rights'))
    return { code, output, recorded: files.map(file => file.replace(/-\w+\.json$/, '')).sort() }
  }
  const [a, b, c] = ["test('a', () => {})", "describe('b', () => test('in b', () => {}))", "test('c', () => {})"]
  const fails = "test('d', () => { throw new Error('no') })"
  expect(await run([a, b])).toMatchObject({ code: 0, recorded: ['a', 'b-in-b'] })
  expect(await run([a, c, fails])).toMatchObject({ code: 1, recorded: ['a', 'b-in-b', 'c'] })
  expect(await run([a, c], '--test-name-pattern', 'a')).toMatchObject({ code: 0, recorded: ['a', 'b-in-b', 'c'] })
  const whole = await run([a, c])
  expect(whole).toMatchObject({ code: 0, recorded: ['a', 'c'] })
  expect(whole.output).toContain('the rights of "b > in b" are deleted')
})
