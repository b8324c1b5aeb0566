import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const old = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.5' } })"

it.each(['cli/src/bin.ts', 'create-wherry-operator/src/bin.ts'])('%s says in one line that Node is too old', bin => {
  const path = join(import.meta.dirname, '../..', bin)
  const { status, stderr } = spawnSync(process.execPath, ['--import', `data:text/javascript,${old}`, path], {
    encoding: 'utf8',
  })
  expect(stderr).toBe('wherry: this is Node 20.19.5, and Wherry needs 22.19 or later: see https://nodejs.org\n')
  expect(status).toBe(1)
})
