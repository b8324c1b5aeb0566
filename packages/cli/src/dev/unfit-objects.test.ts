import { Client, defineResource, type KubernetesObject } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { install, startApiServer } from '@wherry/testing'
import { expect, it } from 'vitest'
import { appliedWithWarnings } from './unfit-objects.ts'

const definition = (required: readonly string[]) => {
  const properties = {
    spec: { type: 'object', required, properties: { title: { type: 'string' }, secret: { type: 'string' } } },
  }
  return {
    ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
    metadata: { name: 'games.arcade.example.com' },
    spec: {
      ...{ group: 'arcade.example.com', scope: 'Namespaced', names: { plural: 'games', kind: 'Game' } },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties } } },
      ],
    },
  }
}

interface Game extends KubernetesObject {
  spec: { title: string; secret?: string }
}

const games = defineResource<Game>({
  ...{ group: 'arcade.example.com', version: 'v1', kind: 'Game', plural: 'games', namespaced: true },
})

it('a new required field is said once, with the stored objects that lack it', async () => {
  await using server = await startApiServer()
  await using client = new Client({ url: server.url, ca: server.ca, token: server.token })
  const apply = (required: readonly string[]) => () => install(server, definition(required))
  expect(await appliedWithWarnings(client, apply(['title']))).toEqual([])
  for (const name of ['a', 'b', 'c', 'd', 'has'])
    await client.create(games, {
      metadata: { namespace: 'default', name },
      spec: { title: name, ...(name === 'has' && { secret: 'key' }) },
    })
  expect(await appliedWithWarnings(client, apply(['title', 'secret']))).toEqual([
    expect.stringMatching(
      /^games\.arcade\.example\.com \S*spec\.secret: required, and these objects are stored from before: default\/a, default\/b, default\/c, and 1 more\. Mend/,
    ),
  ])
  expect(await appliedWithWarnings(client, apply(['title', 'secret']))).toEqual([])
  expect(await appliedWithWarnings(client, apply([]))).toEqual([])
  expect((await client.list(customResourceDefinitions)).items).toHaveLength(1)
})
