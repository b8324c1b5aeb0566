import { Client } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { simulate, startApiServer } from '@wherry/testing'
import { expect, it } from 'vitest'
import { sayIfLeftAlone } from './left-alone.ts'
import { Operator } from './operator.ts'

it('an operator without a connection for eight seconds is named once', async () => {
  const { clock, advance } = simulate(1)
  const said: string[] = []
  let isConnected = true
  const stop = sayIfLeftAlone({
    ...{ name: 'chess', server: 'https://127.0.0.1:1', clock },
    isConnected: () => isConnected,
    say: message => said.push(message),
  })
  await advance(60_000)
  isConnected = false
  await advance(5000)
  isConnected = true
  await advance(10_000)
  expect(said).toEqual([])
  isConnected = false
  await advance(600_000)
  expect(said).toEqual([
    'the operator chess has had no connection to https://127.0.0.1:1 for 8 s, and keeps this process alive: close it if its work is over',
  ])
  stop()
})

it('nothing is looked at after the end', async () => {
  const simulation = simulate(1)
  const said: string[] = []
  const parts = { name: 'chess', server: 's', clock: simulation.clock, isConnected: () => false }
  sayIfLeftAlone({ ...parts, say: message => said.push(message) })()
  await simulation.advance(60_000)
  expect([said, simulation.pending()]).toEqual([[], []])
})

it('an operator without its server says so by a warning of the process', { timeout: 120_000 }, async () => {
  const server = await startApiServer()
  const client = new Client({ url: server.url, ca: server.ca, token: server.token })
  const operator = new Operator({ name: 'left-behind', client })
  operator
    .controller('config')
    .for(configMaps)
    .reconcile(() => {})
  const running = operator.run({ signals: false })
  await operator.settled()
  const warned = new Promise<Error>(resolve => process.once('warning', resolve))
  await server.close()
  expect(await warned).toMatchObject({ name: 'WherryWarning', message: expect.stringContaining('left-behind') })
  await operator.close()
  await running
  await client.close()
})
