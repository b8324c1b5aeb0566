import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { expect, it } from 'vitest'
import { Client } from '../client.ts'
import { configMaps } from '../resources/core.ts'

it('a real server: objects are applied in the order that they need, waited for and counted', async () => {
  const { url, ca, token } = await sharedRealServer()
  await using client = new Client({ url, ca, token })
  const group = 'arcade.example.com'
  const metadata = { name: 'chess', namespace: 'arcade' }
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  const applied = await client.applyAll([
    { apiVersion: `${group}/v1`, kind: 'Game', metadata },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata },
    {
      ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
      metadata: { name: `games.${group}` },
      spec: {
        ...{ group, scope: 'Namespaced', names: { kind: 'Game', plural: 'games', singular: 'game' } },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'arcade' } },
  ] as never)
  expect(applied.map(({ kind }) => kind)).toEqual(['Game', 'ConfigMap', 'CustomResourceDefinition', 'Namespace'])
  const arcade = configMaps.within({ namespaces: ['arcade'] })
  for (const name of ['a', 'b', 'c']) {
    await client.create(configMaps, { metadata: { name, namespace: 'arcade', labels: { few: 'true' } } })
  }
  expect(await client.count(arcade)).toBe(4)
  expect(await client.count(arcade.within({ labels: { few: 'true' } }))).toBe(3)
  const waiting = client.waitFor(configMaps, metadata, map => map?.data?.moves === '2')
  await client.patch(configMaps, metadata, { data: { moves: '1' } })
  await client.patch(configMaps, metadata, { data: { moves: '2' } })
  expect(await waiting).toMatchObject({ data: { moves: '2' } })
  const gone = client.waitFor(configMaps, metadata, map => map === undefined)
  await client.delete(configMaps, metadata)
  expect(await gone).toBe(undefined)
})
