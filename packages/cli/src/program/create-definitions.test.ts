import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@wherry/client'
import { startApiServer } from '@wherry/testing'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { games } from '../testkit/policies.ts'
import { run } from '../testkit/run.ts'
import { createDefinitions } from './create-definitions.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wherry-definitions-'))
})

afterEach(() => rm(folder, { recursive: true }))

const host = () => ({ stdout: process.stdout, stderr: process.stderr, cwd: folder })

it('a server has the policies of the folder too, which refuse what they say', async () => {
  await run(`crd arcade.crd.ts policies.ts --out ${folder}/deploy/crd`)
  await using server = await startApiServer()
  await createDefinitions(server, 'deploy/crd', host())
  await using client = new Client({ url: server.url, ca: server.ca, token: server.token })
  const play = (players: number): Promise<string> =>
    client
      .create(games, { metadata: { name: 'chess', namespace: 'default' }, spec: { players } }, { dryRun: true })
      .then(
        () => 'taken',
        (error: Error) => error.message,
      )
  await vi.waitFor(async () => expect(await play(9)).toContain('at most 8 players'))
  expect(await play(8)).toBe('taken')
})

it('refuses a file that has neither a definition nor a policy, by its name', async () => {
  await mkdir(join(folder, 'crd'))
  await writeFile(join(folder, 'crd/a.yaml'), 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n')
  await using server = await startApiServer()
  await expect(createDefinitions(server, 'crd', host())).rejects.toThrow(
    'crd/a.yaml has no CustomResourceDefinition and no admission policy',
  )
})
