import { readFileSync } from 'node:fs'
import { Client } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { configMaps, secrets } from '@wherry/client/resources/core'
import { Operator } from '@wherry/controller'
import { startApiServer } from '@wherry/testing'
import { expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { games } from './game.ts'
import { declareGames } from './operator.ts'

it('C11: a game’s ConfigMap follows the Secret that it names', async () => {
  await using server = await startApiServer()
  await using client = new Client({ url: server.url, ca: server.ca, token: server.token })
  const file = `${import.meta.dirname}/deploy/crd/games.arcade.example.com.yaml`
  await client.create(customResourceDefinitions, parse(readFileSync(file, 'utf8')))
  const game = { metadata: { name: 'chess', namespace: 'default' }, spec: { title: 'Chess', licenceSecret: 'key' } }
  await vi.waitFor(() => client.create(games, game)) // a new resource is not served at once
  await using operator = new Operator({ name: 'game-operator', client })
  declareGames(operator, 'default')
  void operator.run()
  await operator.settled()
  expect((await client.get(games, game.metadata))?.status).toEqual({ phase: 'NoLicence' })
  const licence = { name: 'key', namespace: 'default' }
  await client.create(secrets, { metadata: licence, stringData: { key: 'first' } })
  await operator.settled()
  const settings = await client.get(configMaps, { name: 'chess-settings', namespace: 'default' })
  expect(settings?.data).toEqual({ title: 'Chess', checksum: expect.stringMatching(/^[0-9a-f]{64}$/) })
  expect((await client.get(games, game.metadata))?.status).toEqual({ phase: 'Ready' })
})
