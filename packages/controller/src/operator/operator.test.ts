import { configMaps, secrets } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { inArcade } from './testkit/arcade.ts'
import { desiredConfig, type Game, game, games, ours, secret } from './testkit/games.ts'

const config = { name: 'chess-config', namespace: 'default' }

describe('an operator', () => {
  it('C2, C11: makes what an object says, from what it reads, and again when either changes', () =>
    inArcade(async ({ operator, client, run }) => {
      const runs: string[] = []
      operator
        .controller('game')
        .for(games)
        .owns(ours.metadata())
        .reconcile(async ({ object, key, read, apply }) => {
          runs.push(key.name)
          const found = await read.get(secrets, { name: object.spec.secret })
          if (!found) return
          await apply(ours, desiredConfig(object, found))
        })
      await client.create(games, game('chess'))
      run()
      await operator.settled()
      expect(await client.get(configMaps, config)).toBeUndefined()

      await client.create(secrets, secret('key', 'hunter2'))
      await operator.settled()
      const made = await client.get(configMaps, config)
      expect(made?.data).toEqual({ title: 'Chess', key: btoa('hunter2') })
      expect(made?.metadata?.labels).toEqual({ 'app.kubernetes.io/managed-by': 'game' })
      expect(made?.metadata?.ownerReferences).toMatchObject([{ kind: 'Game', name: 'chess', controller: true }])

      await client.patch(games, { name: 'chess', namespace: 'default' }, { spec: { title: 'Go' } })
      await operator.settled()
      expect((await client.get(configMaps, config))?.data?.title).toBe('Go')

      await client.patch(configMaps, config, { data: { title: 'by hand' } })
      await operator.settled()
      expect((await client.get(configMaps, config))?.data?.title).toBe('Go')

      await client.delete(configMaps, config)
      await operator.settled()
      expect((await client.get(configMaps, config))?.data?.title).toBe('Go')
      expect(new Set(runs)).toEqual(new Set(['chess']))
    }))

  it('C2: runs only for what exists, and tells of what is gone with its last state', () =>
    inArcade(async ({ operator, client, run }) => {
      const seen: string[] = []
      operator
        .controller('game')
        .for(games)
        .reconcile(({ object, key }) => {
          seen.push(`run ${key.namespace}/${key.name} ${object.spec.title}`)
        })
        .onGone(({ key, last }: { key: { name: string }; last: Game }) => {
          seen.push(`gone ${key.name} ${last.spec.title}`)
        })
      await client.create(games, game('chess'))
      run()
      await operator.settled()
      await client.delete(games, { name: 'chess', namespace: 'default' })
      await operator.settled()
      await client.create(games, game('chess', 'key', 'Go'))
      await operator.settled()
      expect(seen).toEqual(['run default/chess Chess', 'gone chess Chess', 'run default/chess Go'])
    }))
})
