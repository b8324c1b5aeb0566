import { deployments } from '@wherry/client/resources/apps'
import { configMaps } from '@wherry/client/resources/core'
import { DynamicCache } from '@wherry/dynamic-cache'
import { Informer } from '@wherry/informer'
import { NarrowCache } from '@wherry/narrow-cache'
import { expect, it } from 'vitest'
import { inArcade } from './testkit/arcade.ts'
import { at, game, games } from './testkit/games.ts'

it('X1: an object that was read names itself wherever a key is taken', () =>
  inArcade(async ({ client, operator, simulation, forGames, start }) => {
    const made = await client.create(configMaps, { metadata: at('a'), data: { a: '1' } })
    const uids: unknown[] = [made.metadata.uid]
    uids.push((await client.get(configMaps, made))?.metadata.uid)
    uids.push((await client.patch(configMaps, made, { data: { b: '2' } })).metadata.uid)
    await using informer = new Informer({ client, view: configMaps })
    informer.start()
    await informer.whenSynced()
    uids.push(informer.get(made)?.metadata?.uid, informer.version(made)?.uid)
    await using cache = new DynamicCache({ client })
    cache.informer(configMaps)
    uids.push((await cache.get(configMaps, made))?.metadata.uid)
    await using narrow = new NarrowCache({ client })
    for (const _ of ['asked', 'cached']) uids.push((await narrow.get(configMaps, made))?.metadata.uid)
    expect(narrow.peek(configMaps, made)).toBeDefined()
    const chess = await client.create(games, game('chess'))
    const read: unknown[] = []
    forGames().reconcile(async context => {
      read.push(
        (await context.read.get(configMaps, made))?.metadata.uid,
        (await context.read.getUntracked(configMaps, made))?.metadata.uid,
      )
    })
    await start()
    expect(read.slice(0, 2)).toEqual([made.metadata.uid, made.metadata.uid])
    expect(`${operator.explain('game', chess)}`).toContain('default/chess')
    await client.status.patch(games, chess, { status: { phase: 'Won' } })
    expect(await client.get(games, chess)).toMatchObject({ status: { phase: 'Won' } })
    expect(new Set(uids)).toEqual(new Set([made.metadata.uid]))
    await client.delete(configMaps, made)
    expect(await client.get(configMaps, made)).toBeUndefined()
    await simulation.advance(1000)
  }))

it('X1: an object names what its scale is of', () =>
  inArcade(async ({ client }) => {
    const labels = { app: 'web' }
    const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web' }] } }
    const web = await client.create(deployments, {
      metadata: at('web'),
      spec: { selector: { matchLabels: labels }, template },
    })
    await client.scale.patch(deployments, web, { spec: { replicas: 3 } })
    expect((await client.scale.get(deployments, web))?.spec?.replicas).toBe(3)
    const scale = await client.scale.update(deployments, web, { spec: { replicas: 2 } })
    expect(scale.spec?.replicas).toBe(2)
  }))
