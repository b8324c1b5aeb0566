import { describe, expect, it } from 'vitest'
import {
  type Answer,
  brief,
  cm,
  definitions,
  game,
  gameDefinition,
  games,
  type Kit,
  merge,
  withServer,
} from '../testkit/in-memory.ts'

const namespaces = '/api/v1/namespaces'

function owned(name: string, owner: Answer['json'], more: object = {}): object {
  const { apiVersion, kind, metadata } = owner
  const reference = { apiVersion, kind, name: metadata.name, uid: metadata.uid, ...more }
  return { metadata: { name, ownerReferences: [reference] } }
}

const exists = async ({ call }: Kit, name: string): Promise<boolean> =>
  (await call('GET', `${cm}/${name}`)).status === 200

describe('namespaces', () => {
  it('F1: a namespace goes with all that is in it; until then nothing can be created there', () =>
    withServer(async kit => {
      const { call, sim, watch, server } = kit
      expect((await call('POST', namespaces, { metadata: { name: 'team' } })).json.status).toEqual({ phase: 'Active' })
      await kit.configMap('a', { namespace: 'team' })
      await call('POST', `${namespaces}/team/secrets`, { metadata: { name: 's', finalizers: ['x.example.com/hold'] } })
      const stream = await watch(`${namespaces}/team/configmaps?watch=1&resourceVersion=${await server.revision()}`)
      const deleted = await call('DELETE', `${namespaces}/team`)
      expect(deleted.json.status.phase).toBe('Terminating')
      await sim.advance(100)
      expect(brief(stream.events)).toEqual(['DELETED a'])
      const refused = await call('POST', `${namespaces}/team/configmaps`, { metadata: { name: 'b' } })
      expect([refused.status, refused.json.details.causes[0].reason]).toEqual([403, 'NamespaceTerminating'])
      expect((await call('GET', `${namespaces}/team`)).status).toBe(200)
      await call('PATCH', `${namespaces}/team/secrets/s`, { metadata: { finalizers: null } }, merge)
      await sim.advance(100)
      expect((await call('GET', `${namespaces}/team`)).status).toBe(404)
    }))

  it('F1: a namespace that is made again at once is left alone by what there was to do of the one before', () =>
    withServer(async ({ call, configMap, sim }) => {
      const path = `${namespaces}/team`
      await call('POST', namespaces, { metadata: { name: 'team' } })
      await configMap('a', { namespace: 'team' })
      await call('DELETE', path)
      while ((await call('GET', path)).status !== 404) await sim.advance(1)
      await call('POST', namespaces, { metadata: { name: 'team' } })
      await configMap('b', { namespace: 'team' })
      await sim.advance(1000)
      expect((await call('GET', path)).json.spec).toEqual({ finalizers: ['kubernetes'] })
      expect((await call('GET', `${path}/configmaps/b`)).status).toBe(200)
    }))

  it('F1: without controllers a namespace stays Terminating, as on a bare API server', () =>
    withServer(
      async ({ call, sim }) => {
        await call('POST', namespaces, { metadata: { name: 'team' } })
        await call('DELETE', `${namespaces}/team`)
        await sim.advance(60_000)
        expect((await call('GET', `${namespaces}/team`)).json.status.phase).toBe('Terminating')
        const finalized = await call('GET', `${namespaces}/team`)
        await call('PUT', `${namespaces}/team/finalize`, { ...finalized.json, spec: {} })
        expect((await call('GET', `${namespaces}/team`)).status).toBe(404)
      },
      { controllers: false },
    ))
})

describe('garbage collection', () => {
  it('F1: dependents go after their last owner, however deep', () =>
    withServer(async kit => {
      const owner = await kit.configMap('owner')
      const other = await kit.configMap('other')
      const child = (await kit.call('POST', cm, owned('child', owner))).json
      await kit.call('POST', cm, owned('grandchild', child))
      const both = owned('both', owner) as { metadata: { ownerReferences: object[] } }
      both.metadata.ownerReferences.push(...(owned('', other) as typeof both).metadata.ownerReferences)
      await kit.call('POST', cm, both)
      await kit.call('DELETE', `${cm}/owner`)
      await kit.sim.advance(100)
      expect(await Promise.all(['child', 'grandchild', 'both'].map(name => exists(kit, name)))).toEqual([
        false,
        false,
        true,
      ])
      const { json } = await kit.call('GET', `${cm}/both`)
      expect(json.metadata.ownerReferences.map((reference: { name: string }) => reference.name)).toEqual(['other'])
    }))

  it('F1: after a restore of etcd, the restored dependents go after their restored owner', () =>
    withServer(async kit => {
      const owner = await kit.configMap('owner')
      await kit.call('POST', cm, owned('child', owner))
      const backup = await kit.server.revision()
      for (const name of ['child', 'owner']) await kit.call('DELETE', `${cm}/${name}`)
      await kit.sim.advance(100)
      await kit.server.restoreEtcd(backup)
      await kit.sim.advance(10)
      expect(await exists(kit, 'child')).toBe(true)
      await kit.call('DELETE', `${cm}/owner`)
      await kit.sim.advance(100)
      expect(await exists(kit, 'child')).toBe(false)
    }))

  it('F1: an owner that never existed, or is another of that name, does not hold a dependent', () =>
    withServer(async kit => {
      const owner = await kit.configMap('owner')
      await kit.call('POST', cm, owned('stranger', { ...owner, metadata: { ...owner.metadata, uid: 'other-uid' } }))
      await kit.sim.advance(100)
      expect(await exists(kit, 'stranger')).toBe(false)
    }))

  it('F1: an owner is found by group and kind if the version that is named is no longer served', () =>
    withServer(async kit => {
      const { call, sim } = kit
      const versions = (served: boolean): Record<string, unknown>[] => [
        { name: 'v1', served, storage: false },
        { name: 'v2', served: true, storage: true },
      ]
      await call('POST', definitions, gameDefinition(versions(true)))
      await sim.advance(1000)
      const chess = await call('POST', games, game('chess'))
      await call('POST', cm, owned('board', chess.json))
      const current = await call('GET', `${definitions}/games.arcade.example.com`)
      const { spec } = gameDefinition(versions(false))
      expect((await call('PUT', `${definitions}/games.arcade.example.com`, { ...current.json, spec })).status).toBe(200)
      await sim.advance(100)
      expect(await exists(kit, 'board')).toBe(true)
      expect((await call('DELETE', `${games.replace('/v1/', '/v2/')}/chess`)).status).toBe(200)
      await sim.advance(100)
      expect(await exists(kit, 'board')).toBe(false)
    }))

  it('F1: a dependent without a namespace stays if its owner has one, as its owner is never found', () =>
    withServer(async ({ call, configMap, sim }) => {
      const owner = await configMap('owner')
      const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles'
      await call('POST', roles, { ...owned('dependent', owner), rules: [] })
      await call('DELETE', `${cm}/owner`)
      await sim.advance(100)
      expect((await call('GET', `${roles}/dependent`)).status).toBe(200)
    }))

  it('F1: an object that does not meet a newer schema goes when it may be written again', () =>
    withServer(async ({ call, sim }) => {
      const definition = (required: string[]): object => {
        const openAPIV3Schema = {
          type: 'object',
          required,
          properties: { spec: { type: 'object' }, size: { type: 'integer' } },
        }
        return gameDefinition([{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }])
      }
      const change = (required: string[]): Promise<unknown> =>
        call('PATCH', `${definitions}/games.arcade.example.com`, definition(required), merge)
      await call('POST', definitions, definition([]))
      await sim.advance(1000)
      await call('POST', games, game('chess'))
      await change(['size'])
      await call('DELETE', `${games}/chess?propagationPolicy=Foreground`)
      await sim.advance(10_000)
      expect((await call('GET', `${games}/chess`)).status).toBe(200)
      await change([])
      await sim.advance(60_000)
      expect((await call('GET', `${games}/chess`)).status).toBe(404)
    }))

  it('F1: in the foreground the owner waits for the dependents that block it', () =>
    withServer(async kit => {
      const owner = await kit.configMap('owner')
      const child = owned('child', owner, { blockOwnerDeletion: true }) as { metadata: Record<string, unknown> }
      child.metadata.finalizers = ['x.example.com/hold']
      await kit.call('POST', cm, child)
      const { json } = await kit.call('DELETE', `${cm}/owner`, { propagationPolicy: 'Foreground' })
      expect(json.metadata.finalizers).toEqual(['foregroundDeletion'])
      await kit.sim.advance(100)
      expect([await exists(kit, 'owner'), await exists(kit, 'child')]).toEqual([true, true])
      await kit.call('PATCH', `${cm}/child`, { metadata: { finalizers: null } }, merge)
      await kit.sim.advance(100)
      expect([await exists(kit, 'owner'), await exists(kit, 'child')]).toEqual([false, false])
    }))

  it('F1: orphaned dependents stay without their owner', () =>
    withServer(async kit => {
      const owner = await kit.configMap('owner')
      await kit.call('POST', cm, owned('child', owner))
      await kit.call('DELETE', `${cm}/owner?propagationPolicy=Orphan`)
      await kit.sim.advance(100)
      expect(await exists(kit, 'owner')).toBe(false)
      expect((await kit.call('GET', `${cm}/child`)).json.metadata.ownerReferences).toBeUndefined()
    }))
})

describe('definitions', () => {
  it('F1: a custom resource is 404 in plain text, and served and discovered once it is Established', () =>
    withServer(async ({ call, sim }) => {
      expect(await call('GET', games)).toMatchObject({ status: 404, text: '404 page not found\n' })
      const made = await call('POST', definitions, gameDefinition())
      expect(made.json.spec.names).toEqual({
        plural: 'games',
        kind: 'Game',
        shortNames: ['gm'],
        singular: 'game',
        listKind: 'GameList',
      })
      expect(made.json.status.storedVersions).toEqual(['v1'])
      expect((await call('GET', games)).status).toBe(404)
      await sim.advance(1000)
      expect((await call('GET', games)).status).toBe(200)
      const established = await call('GET', `${definitions}/games.arcade.example.com`)
      expect(
        established.json.status.conditions.map(({ type, status }: { type: string; status: string }) => [type, status]),
      ).toEqual([
        ['NamesAccepted', 'True'],
        ['Established', 'True'],
      ])
      const list = (await call('GET', '/apis/arcade.example.com/v1')).json
      expect(list.resources.map(({ name }: { name: string }) => name)).toEqual(['games', 'games/status', 'games/scale'])
    }))

  it('F1: a definition that makes no sense is refused with its causes', () =>
    withServer(async ({ call }) => {
      const bad = gameDefinition([{ name: 'v1', served: true, storage: false }]) as { metadata: { name: string } }
      bad.metadata.name = 'wrong'
      const { status, json } = await call('POST', definitions, bad)
      expect(status).toBe(422)
      expect(json.details.causes.map((cause: { field: string }) => cause.field)).toEqual([
        'metadata.name',
        'spec.versions',
        'status.storedVersions',
      ])
      const causesOf = async (versions: object[], more: object = {}): Promise<string[]> =>
        (
          await call('POST', definitions, gameDefinition(versions as Record<string, unknown>[], { ...more }))
        ).json.details.causes.map(({ field }: { field: string }) => field)
      const v1 = { name: 'v1', served: true, storage: true }
      expect(await causesOf([v1, v1])).toEqual(['spec.versions', 'spec.versions', 'status.storedVersions'])
      expect(await causesOf([{ ...v1, name: 'V1' }])).toEqual(['spec.versions[0].name', 'spec.version'])
      expect(await causesOf([v1], { names: { plural: 'games' } })).toEqual([
        'spec.names.singular',
        'spec.names.kind',
        'spec.names.listKind',
      ])
      const columns = [{ name: 'X', type: 'nonsense', jsonPath: '.x' }]
      expect(await causesOf([{ ...v1, additionalPrinterColumns: columns }])).toEqual([
        'spec.additionalPrinterColumns[0].type',
      ])
      const webhook = { conversion: { strategy: 'Webhook' } }
      expect((await call('POST', definitions, gameDefinition(undefined, webhook))).status).toBe(501)
    }))

  it('F1: the first request while storage is rebuilt is 429, where that is asked for', () =>
    withServer(
      async ({ call, sim }) => {
        await call('POST', definitions, gameDefinition())
        await sim.advance(50)
        const first = await call('GET', games)
        expect([first.status, first.headers['retry-after'], first.json.details]).toEqual([
          429,
          '1',
          { retryAfterSeconds: 1 },
        ])
        expect((await call('GET', games)).status).toBe(200)
      },
      { reinitialiseMs: 500 },
    ))

  it('F1: an object is read at every served version; a version that is no longer served is 404', () =>
    withServer(async ({ call, sim }) => {
      const version = (name: string, served: boolean): object => ({ name, served, storage: name === 'v1' })
      const both = gameDefinition([version('v1', true), version('v2', true)] as Record<string, unknown>[])
      await call('POST', definitions, both)
      await sim.advance(1000)
      await call('POST', games, game('chess', { players: 2 }))
      const v2 = games.replace('/v1/', '/v2/')
      expect((await call('GET', `${v2}/chess`)).json).toMatchObject({
        apiVersion: 'arcade.example.com/v2',
        spec: { players: 2 },
      })
      const current = await call('GET', `${definitions}/games.arcade.example.com`)
      const next = structuredClone(current.json)
      next.spec.versions[1].served = false
      expect((await call('PUT', `${definitions}/games.arcade.example.com`, next)).status).toBe(200)
      expect(await call('GET', v2)).toMatchObject({ status: 404, text: '404 page not found\n' })
      expect((await call('GET', games)).status).toBe(200)
    }))

  it('F1: after a move of the storage version a write that changes nothing rewrites, once', () =>
    withServer(async ({ call, sim, server }) => {
      const versions = [
        { name: 'v1', served: true, storage: true },
        { name: 'v2', served: true, storage: false },
      ]
      await call('POST', definitions, gameDefinition(versions))
      await sim.advance(1000)
      const made = (await call('POST', games, game('chess'))).json.metadata
      const path = `${definitions}/games.arcade.example.com`
      const moved = (await call('GET', path)).json
      moved.spec.versions[0].storage = false
      moved.spec.versions[1].storage = true
      const answer = (await call('PUT', path, moved)).json
      expect(answer.status.storedVersions).toEqual(['v1', 'v2'])
      const dry = (await call('PATCH', `${games}/chess?dryRun=All`, {}, merge)).json.metadata
      expect(server.storedVersions('games.arcade.example.com')).toEqual({ 'default/chess': 'v1' })
      const first = (await call('PATCH', `${games}/chess`, {}, merge)).json.metadata
      const second = (await call('PATCH', `${games}/chess`, {}, merge)).json.metadata
      expect(dry.resourceVersion).toBe(made.resourceVersion)
      expect(Number(first.resourceVersion)).toBeGreaterThan(Number(made.resourceVersion))
      expect([first.generation, second.resourceVersion]).toEqual([1, first.resourceVersion])
      expect(server.storedVersions('games.arcade.example.com')).toEqual({ 'default/chess': 'v2' })
      answer.spec.versions = [answer.spec.versions[1]]
      const refused = await call('PUT', path, answer)
      expect([refused.status, refused.json.message]).toEqual([
        422,
        expect.stringContaining('v1 was previously a storage version'),
      ])
    }))

  it('F1: a definition is deleted with its objects: each is DELETED, then 404, then the watches end', () =>
    withServer(async ({ call, sim, watch }) => {
      await call('POST', definitions, gameDefinition())
      await sim.advance(1000)
      await call('POST', games, game('chess'))
      await call('POST', games, game('held', {}, { finalizers: ['x.example.com/hold'] }))
      const stream = await watch(`${games}?watch=1`)
      await call('DELETE', `${definitions}/games.arcade.example.com`)
      await sim.advance(100)
      expect(brief(stream.events)).toEqual(['ADDED chess', 'ADDED held', 'DELETED chess', 'MODIFIED held'])
      const refused = await call('POST', games, game('new'))
      expect([refused.status, refused.json.message]).toEqual([
        403,
        expect.stringContaining('create not allowed while custom resource definition is terminating'),
      ])
      expect((await call('GET', games)).json.items).toHaveLength(1)
      await call('PATCH', `${games}/held`, { metadata: { finalizers: null } }, merge)
      await sim.advance(100)
      expect(brief(stream.events).at(-1)).toBe('DELETED held')
      expect(await call('GET', games)).toMatchObject({ status: 404, text: '404 page not found\n' })
      expect(stream.state()).toBe('open')
      await sim.advance(1000)
      expect(stream.state()).toBe('end')
      await call('POST', definitions, gameDefinition())
      await sim.advance(1000)
      expect((await call('GET', games)).json.items).toEqual([])
    }))

  it('F1: a deprecated version warns with every answer', () =>
    withServer(async ({ call, sim }) => {
      await call('POST', definitions, gameDefinition([{ name: 'v1', served: true, storage: true, deprecated: true }]))
      await sim.advance(1000)
      expect((await call('GET', games)).headers.warning).toEqual(['299 - "arcade.example.com/v1 Game is deprecated"'])
    }))

  it('F1: a custom resource is selected by the fields that its definition names, and printed by its columns', () =>
    withServer(async ({ call, sim }) => {
      const mode = { type: 'string' }
      const version = {
        name: 'v1',
        served: true,
        storage: true,
        selectableFields: [{ jsonPath: '.spec.mode' }],
        additionalPrinterColumns: [{ name: 'Mode', type: 'string', jsonPath: '.spec.mode' }],
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { mode } } } } },
      }
      await call('POST', definitions, gameDefinition([version]))
      await sim.advance(1000)
      await call('POST', games, game('a', { mode: 'solo' }))
      await call('POST', games, game('b', { mode: 'duel' }))
      const selected = await call('GET', `${games}?fieldSelector=spec.mode%3Dduel`)
      expect(selected.json.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(['b'])
      const unknown = await call('GET', `${games}?fieldSelector=spec.other%3Dx`)
      expect([unknown.status, unknown.json.message]).toEqual([400, 'field label not supported: spec.other'])
      const table = await call('GET', games, undefined, { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' })
      expect(table.json.rows.map((row: { cells: unknown[] }) => row.cells)).toEqual([
        ['a', 'solo'],
        ['b', 'duel'],
      ])
    }))
})

describe('claims', () => {
  const claims = '/api/v1/namespaces/default/persistentvolumeclaims'
  const pods = '/api/v1/namespaces/default/pods'
  const claim = {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  }
  const pod = (name: string): object => ({
    metadata: { name },
    spec: {
      containers: [{ name: 'a', image: 'a' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    },
  })

  it('F1: a claim that is deleted goes at once, or when the last Pod that uses it has ended or is gone', () =>
    withServer(async ({ call, sim }) => {
      const status = async (): Promise<number> => {
        await sim.advance(100)
        return (await call('GET', `${claims}/data`)).status
      }
      await call('POST', claims, claim)
      await call('DELETE', `${claims}/data`)
      expect(await status()).toBe(404)
      await call('POST', claims, claim)
      for (const name of ['one', 'two']) expect((await call('POST', pods, pod(name))).status).toBe(201)
      await call('DELETE', `${claims}/data`)
      expect(await status()).toBe(200)
      await call('PATCH', `${pods}/one/status`, { status: { phase: 'Succeeded' } }, merge)
      expect(await status()).toBe(200)
      await call('DELETE', `${pods}/two`, { gracePeriodSeconds: 0 })
      expect(await status()).toBe(404)
    }))

  it('F1: after a restore of etcd, a claim that was being deleted goes if no Pod of the restored state uses it', () =>
    withServer(async ({ call, server, sim }) => {
      await call('POST', claims, claim)
      await call('POST', pods, pod('one'))
      await call('DELETE', `${claims}/data`)
      await call('PATCH', `${pods}/one/status`, { status: { phase: 'Succeeded' } }, merge)
      // The Pod has ended, and the claim is not released yet.
      const backup = await server.revision()
      await sim.advance(100)
      expect((await call('GET', `${claims}/data`)).status).toBe(404)
      await server.restoreEtcd(backup)
      await sim.advance(100)
      expect((await call('GET', `${claims}/data`)).status).toBe(404)
    }))
})
