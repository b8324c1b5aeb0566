import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Client } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { startApiServer } from '@wherry/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ObservedOperator } from './observed.ts'
import { Operator } from './operator.ts'

let observed: ObservedOperator | undefined
const listener = (message: unknown): void => {
  observed = message as ObservedOperator
}

beforeEach(() => subscribe('wherry.operator.start', listener))

afterEach(() => unsubscribe('wherry.operator.start', listener))

it('a tool sees what an operator watches, what waits, and why a key ran', async () => {
  await using server = await startApiServer()
  await using client = new Client({ url: server.url, ca: server.ca, token: server.token })
  await using operator = new Operator({ name: 'game', client })
  const held = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  operator
    .controller('config')
    .for(configMaps.within({ labels: { game: 'chess' } }))
    .reconcile(async () => {
      begun.resolve()
      await held.promise
    })
  void operator.run({ signals: false })
  expect(observed?.name).toBe('game')
  const metadata = { name: 'a', namespace: 'default', labels: { game: 'chess' } }
  await client.create(configMaps, { metadata })
  await begun.promise
  const state = observed?.state()
  expect(state?.controllers).toEqual([
    {
      ...{ name: 'config', obstacle: undefined, pending: ['config: default/a is being reconciled'], loops: [] },
      views: [expect.stringContaining('configmaps')],
    },
  ])
  expect(state?.views).toEqual([
    expect.objectContaining({
      view: expect.stringContaining('configmaps'),
      objects: 1,
      holders: ['controller/config'],
    }),
  ])
  held.resolve()
  await operator.settled()
  expect(`${observed?.explain('config', 'default/a')}`).toContain('config default/a: exists, idle')
})
