import { Client, defineResource } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { startApiServer } from '@wherry/testing'
import { expect, it } from 'vitest'
import { defineCustomResource } from './define.ts'

const names = { group: 'arcade.example.com', version: 'v1', kind: 'Game', plural: 'games', namespaced: true } as const

it('a definition with a list kind of its own is listed and watched by its view', async () => {
  const { definition, resource } = defineCustomResource({ ...names, listKind: 'Games', spec: { type: 'object' } })
  expect(definition.spec.names.listKind).toBe('Games')
  await using server = await startApiServer({ clusterObjects: false })
  await using client = new Client({ url: server.url, ca: server.ca, token: server.token })
  await client.create(customResourceDefinitions, definition)
  const metadata = { name: 'chess', namespace: 'default' }
  await expect.poll(() => client.create(resource, { metadata, spec: {} }).then(() => true, String)).toBe(true)
  expect((await client.list(resource)).items.map(one => one.metadata?.name)).toEqual(['chess'])
  for await (const event of client.watch(resource)) {
    expect(event).toMatchObject({ type: 'ADDED', object: { metadata } })
    break
  }
  // A view that does not know it takes the list for another one.
  await expect(client.list(defineResource(names))).rejects.toMatchObject({
    code: 'INVALID_BODY',
    message: expect.stringContaining('not the GameList'),
  })
})

it('a list kind that a server refuses is refused', () => {
  const defined = (listKind: string) => () => defineCustomResource({ ...names, listKind, spec: { type: 'object' } })
  expect(defined('Game')).toThrow('listKind: is Game, as the kind is')
  expect(defined('a list')).toThrow('must be a word in CamelCase')
})
