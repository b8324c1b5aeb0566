import { configMaps, secrets } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import { viewText } from '../controller/view-text.ts'
import { inArcade } from './testkit/arcade.ts'
import { at, games, secret } from './testkit/games.ts'

it('a report says which objects are held for which key, read by name or listed, and an explanation says the same in words', () =>
  inArcade(async ({ operator, client, forGames, start }) => {
    forGames()
      .owns(configMaps)
      .reconcile(async ({ key, read, apply, status }) => {
        await read.get(secrets, { name: 'key' })
        await read.get(secrets, { name: 'absent' })
        await apply(configMaps, { metadata: { name: key.name }, data: { a: '1' } })
        await status({ phase: 'On' })
      })
    await client.create(secrets, secret('key', '1'))
    await start('chess')
    expect(operator.report().narrow).toMatchObject({ entries: 2, streams: 2, views: [{ entries: 2, objects: 1 }] })
    expect(`${operator.report()}`).toMatchInlineSnapshot(`
      "VIEW                                                          STATE     OBJECTS                RECEIVED  HELD BY
      /v1/configmaps (what arcade applied)                          watching  1                      0.0 MB    controller/game
      arcade.example.com/v1/games                                   watching  1                      0.0 MB    controller/game
      arcade.example.com/v1/games (the status that arcade applied)  watching  1                      0.0 MB    controller/game
      /v1/secrets                                                   by name   1 (1 more are absent)  0.0 MB    reads
      3 informers, 2 watches, and 2 of single objects; 0.0 MB in all"
    `)
    expect(`${operator.explain('game', at('chess'))}`.replace(/at \S+,|in [\d.]+ ms/g, '…')).toMatchInlineSnapshot(`
      "game default/chess: exists, idle
        last run … attempt 1: success …
          because for: default/chess of arcade.example.com/v1/games initial (resourceVersion none → 9)
        depends on
          default/key of /v1/secrets: resourceVersion 8, by a watch of its own
          default/absent of /v1/secrets: absent, by a watch of its own
          default/chess of arcade.example.com/v1/games (the status that arcade applied): resourceVersion 11, by an informer; of it, what the read selected
        watched for the controller
          arcade.example.com/v1/games: 1 object, watching
          /v1/configmaps (what arcade applied): 1 object, watching"
    `)
  }))

it('the key of a view that Wherry projects for itself is put in words, all other keys as they are', () => {
  const [status, what] = ['applied-status:arcade/game-but:lastProbeTime', 'applied:arcade']
  expect(viewText(`v1/games?projection=${status}`)).toBe('v1/games (the status that arcade applied)')
  expect(viewText(`v1/games?labels=a&projection=${what}`)).toBe('v1/games?labels=a (what arcade applied)')
  expect(viewText(`v1/games?projection=${what}&labels=a`)).toBe('v1/games?labels=a (what arcade applied)')
  expect(viewText(games.key)).toBe(games.key)
  expect(viewText(configMaps.project('applied', () => 1).key)).toBe(configMaps.project('applied', () => 1).key)
})
