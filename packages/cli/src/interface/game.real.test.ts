import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, defineResource, isInvalid } from '@wherry/client'
import { type CustomResourceDefinition, customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { startApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Game } from '../testkit/game.ts'
import { openApi } from '../testkit/open-api.ts'
import { temporaryProject } from '../testkit/project.ts'
import { testkit } from '../testkit/run.ts'
import { interfaceDefinitions } from './definitions.ts'

const available = await realApiServerAvailable('the test of a definition from an interface')
const kinds = available ? (['embedded', 'real'] as const) : (['embedded'] as const)

const games = defineResource<Game>({
  group: 'arcade.example.com',
  version: 'v1',
  kind: 'Game',
  plural: 'games',
  namespaced: true,
})

let definition: CustomResourceDefinition | undefined

beforeAll(async () => {
  await using project = await temporaryProject()
  await copyFile(join(testkit, 'game.ts'), join(project.folder, 'game.ts'))
  ;[definition] = interfaceDefinitions([join(project.folder, 'game.ts')], project.folder)
})

describe.for(kinds)("an API server of kind '%s'", kind => {
  it('K1: takes the definition of an interface, and applies its defaults and rules', { timeout: 240_000 }, async () => {
    if (definition === undefined) throw new Error('the interface has no definition')
    await using server = kind === 'real' ? await sharedRealServer() : await startApiServer()
    const client = new Client({ url: server.url, ca: server.ca, token: server.token })
    await client.create(customResourceDefinitions, definition)
    const isListed = (): Promise<boolean> =>
      client.list(games).then(
        () => true,
        () => false,
      )
    await expect.poll(isListed, { timeout: 60_000 }).toBe(true)
    const metadata = { name: 'chess', namespace: 'default' }
    const spec = { difficulty: 'hard', contact: { mail: 'a@example.com' } }
    await client.create(games, { metadata, spec } as Game)
    expect((await client.get(games, metadata))?.spec).toEqual({ ...spec, players: 2, minimum: 1 })
    for (const wrong of [{ minimum: 3 }, { title: 'UP' }, { color: 'blue' }, { difficulty: 'none' }]) {
      const refused = { metadata: { ...metadata, name: 'go' }, spec: { ...spec, ...wrong } }
      expect(isInvalid(await client.create(games, refused as never).catch(error => error))).toBe(true)
    }
    await client.close()
    if (kind === 'real') {
      // The server makes it a moment after it has taken the definition.
      const read = (): Promise<string> => openApi(server, '/openapi/v3/apis/arcade.example.com/v1')
      await expect.poll(read, { timeout: 60_000 }).toContain('"description":"How many play."')
      expect(await read()).toContain('"description":"The cabinets that it runs on, by name."')
    }
  })
})
