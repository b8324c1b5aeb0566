import { expect, it } from 'vitest'
import { type ScriptedAnswer, type SeenRequest, scripted } from './verbs/scripted.fixture.ts'

const group = 'arcade.example.com'
const game = { apiVersion: `${group}/v1`, kind: 'Game', metadata: { name: 'chess', namespace: 'arcade' } }
const definition = {
  ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: `games.${group}` } },
  spec: { group, names: { kind: 'Game' }, versions: [{ name: 'v1', served: true }] },
}
const listed = (name: string, version: string) => ({ name, versions: [{ version }], preferredVersion: { version } })

/** A server on which the discovery documents have a new definition only from the given read of them on. */
function lagging(reads: number): (request: SeenRequest) => ScriptedAnswer {
  let left = reads
  return ({ method, path }) => {
    if (method === 'PATCH') return { body: path.includes('games/chess') ? game : definition }
    if (path === '/api') return { body: { kind: 'APIVersions', versions: ['v1'] } }
    if (path === '/apis') {
      left -= 1
      const groups = [listed('apiextensions.k8s.io', 'v1'), ...(left < 0 ? [listed(group, 'v1')] : [])]
      return { body: { kind: 'APIGroupList', groups } }
    }
    if (path === '/apis/apiextensions.k8s.io/v1') {
      return { body: { resources: [{ name: 'customresourcedefinitions', kind: 'CustomResourceDefinition' }] } }
    }
    if (path === `/apis/${group}/v1`)
      return { body: { resources: [{ name: 'games', kind: 'Game', namespaced: true }] } }
    const { apiVersion, kind } = definition
    const established = { ...definition, status: { conditions: [{ type: 'Established', status: 'True' }] } }
    return { body: { apiVersion, kind: `${kind}List`, metadata: { resourceVersion: '1' }, items: [established] } }
  }
}

it('waits for a defined kind until the discovery documents have it, and not for a version that is not served', async () => {
  const { client, run, now } = scripted(lagging(4))
  await run(async () => {
    const applied = await client.applyAll([definition, game])
    expect(applied.map(({ kind }) => kind)).toEqual(['CustomResourceDefinition', 'Game'])
    expect(now()).toBeGreaterThan(2000)
    const old = { ...game, apiVersion: `${group}/v1alpha1` }
    await expect(client.applyAll([definition, old])).rejects.toThrow(`Game of ${group}/v1alpha1`)
    expect(now()).toBeLessThan(10_000)
    await client.close()
  })
})
