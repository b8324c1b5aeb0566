import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { inArcade } from '../operator/testkit/arcade.ts'
import { game, games, ours } from '../operator/testkit/games.ts'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void
const at = (name: string) => ({ name, namespace: 'default' })

it('what a desired object holds, its run and what that has read are let go of when nothing happens any more', () =>
  inArcade(async ({ client, operator, run, simulation }) => {
    const desiredRefs: WeakRef<object>[] = []
    const contexts: WeakRef<object>[] = []
    operator
      .controller('game')
      .for(games)
      .reconcile(async context => {
        const { apply, object } = context
        const desired = {
          metadata: { name: object.metadata.name ?? '' },
          data: { title: object.spec.title ?? '', text: 'x'.repeat(1000) },
        }
        desiredRefs.push(new WeakRef(desired.data))
        contexts.push(new WeakRef(context))
        await apply(ours, desired)
      })
    for (let i = 0; i < 20; i++) await client.create(games, game(`g${i}`))
    run()
    await operator.settled()
    for (let round = 0; round < 12; round++) {
      for (let i = 0; i < 20; i++) await client.patch(games, at(`g${i}`), { spec: { title: `v${round}` } })
      await operator.settled()
    }
    for (let i = 0; i < 20; i++) await client.delete(games, at(`g${i}`))
    await operator.settled()
    // An hour of quiet.
    await simulation.advance(3_600_000)
    for (let i = 0; i < 5; i++) {
      await new Promise(resolve => setImmediate(resolve))
      gc()
    }
    const alive = (refs: WeakRef<object>[]) => refs.filter(ref => ref.deref() !== undefined).length
    expect([alive(desiredRefs), alive(contexts)]).toEqual([
      expect.toSatisfy(n => n <= 1),
      expect.toSatisfy(n => n <= 1),
    ])
  }))
