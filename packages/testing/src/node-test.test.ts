import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { command, toolEnvironment } from '../../../tools/test/command.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wherry-node-test-'))
})

afterEach(() => rm(folder, { recursive: true }))

it("setUpApiServer works with Node's test runner: rights are recorded by test, and an error fails it", async () => {
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
  const env = { ...toolEnvironment(), NODE_NO_WARNINGS: '1' }
  const { code, output } = await command(process.execPath, ['--test'], { cwd: folder, env, limitMs: 120_000 })
  expect(output).toContain('the test did not expect the error of reconcile: chess is too big')
  expect(output).toMatch(/pass 1\b/)
  expect(output).toMatch(/fail 1\b/)
  expect(code).toBe(1)
  const files = await readdir(join(folder, '.wherry/rights'))
  expect(files.map(file => file.replace(/-\w+\.json$/, '')).sort()).toEqual(['first', 'second-fails'])
})
