import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { configMaps } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import { inArcade } from '../operator/testkit/arcade.ts'
import { game, games, ours } from '../operator/testkit/games.ts'
import { refuseUpdates } from './testkit/refusals.ts'
import { applyTitle, beat } from './testkit/titles.ts'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void
const at = (name: string) => ({ name, namespace: 'default' })
const labels = { 'app.kubernetes.io/managed-by': 'game' }

it('X8: what is desired differently each time and refused is sent ever later after thirty times, and few refusals are kept', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    await client.create(configMaps, { metadata: { ...at('made'), labels }, data: { title: 'a' } })
    await server.faults.add(refuseUpdates())
    const known = new WeakSet<object>()
    const refs: WeakRef<object>[] = []
    operator
      .controller('game')
      .for(games)
      .reconcile(async ({ apply, object }) => {
        const data = { title: object.status?.phase ?? '' }
        await apply(ours, { metadata: { name: 'made' }, data }, { owner: false }).catch((error: object) => {
          if (!known.has(error)) refs.push(new WeakRef(error))
          known.add(error)
        })
      })
    await client.create(games, game('chess'))
    run()
    await beat({ client, simulation }, 1000, 100)
    for (let i = 0; i < 5; i++) {
      await new Promise(resolve => setImmediate(resolve))
      gc()
    }
    const alive = refs.filter(ref => ref.deref() !== undefined).length
    expect([refs.length, alive]).toEqual([expect.toSatisfy(n => n > 40 && n < 60), expect.toSatisfy(n => n <= 9)])
  }))

it('X8: what was refused, then allowed and done, and is refused again, is sent three times at once', () =>
  inArcade(async ({ client, server, operator, run, simulation }) => {
    await client.create(configMaps, { metadata: { ...at('made'), labels }, data: { title: 'a' } })
    let fault = await server.faults.add(refuseUpdates())
    applyTitle(operator, { owner: false })
    await client.create(games, game('chess'))
    run()
    await simulation.advance(300_000)
    await fault.remove()
    await simulation.advance(300_000)
    expect((await client.get(configMaps, at('made')))?.data).toEqual({ title: 'Chess' })
    fault = await server.faults.add(refuseUpdates())
    await client.patch(configMaps, at('made'), { data: { title: 'theirs' } })
    await simulation.advance(10_000)
    await fault.remove()
    await simulation.advance(20_000)
    expect((await client.get(configMaps, at('made')))?.data).toEqual({ title: 'Chess' })
  }))
