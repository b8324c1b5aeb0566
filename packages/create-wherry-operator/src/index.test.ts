import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createOperator } from './index.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wherry-create-'))
})

afterEach(() => rm(folder, { recursive: true }))

it('writes a project, and resolves with the status of the command', async () => {
  let said = ''
  const write = (text: string): void => {
    said += text
  }
  const host = { stdout: { write }, stderr: { write }, cwd: folder }
  const args = ['game-operator', '--group', 'arcade.example.com', '--kind', 'Game']
  expect(await createOperator(args, host)).toBe(0)
  expect(existsSync(join(folder, 'game-operator/src/main.ts'))).toBe(true)
  expect(await createOperator(args, host)).toBe(1)
  expect(said).toContain('game-operator is there already')
})
