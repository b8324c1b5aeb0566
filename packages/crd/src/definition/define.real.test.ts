import { Client, defineResource, isInvalid } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { type ApiServer, startApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { game } from '../testkit/game.ts'
import { libraries } from '../testkit/libraries/index.ts'

const available = await realApiServerAvailable('the test of a definition with everything that one can have')
const kinds = available ? (['embedded', 'real'] as const) : (['embedded'] as const)

interface Game {
  metadata: { name: string; namespace: string }
  spec: { difficulty: string; players?: number }
}

const games = defineResource<Game>({
  group: 'arcade.example.com',
  version: 'v1',
  kind: 'Game',
  plural: 'games',
  namespaced: true,
})

describe.for(kinds)("an API server of kind '%s'", kind => {
  let server: ApiServer
  beforeAll(async () => {
    server = kind === 'real' ? await sharedRealServer() : await startApiServer()
  })
  afterAll(() => server?.close())

  it('K1: takes it, fills in the defaults, and selects by its fields', { timeout: 240_000 }, async () => {
    const client = new Client({ url: server.url, ca: server.ca, token: server.token })
    await client.create(customResourceDefinitions, game.definition)
    await expect
      .poll(
        () =>
          client.list(games).then(
            () => true,
            () => false,
          ),
        { timeout: 60_000 },
      )
      .toBe(true)
    const key = { name: 'chess', namespace: 'default' }
    const written = { metadata: key, spec: { difficulty: 'hard' } }
    await client.create(games, written)
    expect((await client.get(games, key))?.spec.players).toBe(2)
    const hard = games.within({ fields: { 'spec.difficulty': 'hard' } })
    const easy = games.within({ fields: { 'spec.difficulty': 'easy' } })
    expect([(await client.list(hard)).items.length, (await client.list(easy)).items.length]).toEqual([1, 0])
    const long = { ...written, metadata: { ...key, name: 'a-name-that-is-too-long' } }
    expect(isInvalid(await client.create(games, long).catch(error => error))).toBe(true)
    await client.close()
  })

  it('K1: takes the definition of each library', { timeout: 240_000 }, async () => {
    const client = new Client({ url: server.url, ca: server.ca, token: server.token })
    for (const [name, { definition }] of Object.entries(libraries)) {
      const { metadata } = await client.create(customResourceDefinitions, definition)
      expect(metadata.name).toBe(`${name}s.libraries.example.com`)
    }
    await client.close()
  })
})
