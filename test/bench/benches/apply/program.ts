/** An operator that makes one object for each Widget of a namespace. `BENCH_OF` says of which kind, `BENCH_MODE` what it does. */
import { Client, type KubernetesObject, type View } from '@wherry/client'
import { fromUrl } from '@wherry/client/internal'
import { deployments } from '@wherry/client/resources/apps'
import { configMaps } from '@wherry/client/resources/core'
import { Channel, Operator } from '@wherry/controller'
import { readMemory } from '../../harness/memory.ts'
import { widgets } from '../../server/widgets.ts'
import { addressOfProgram } from '../reconcile/in-program.ts'
import { configMapFor, deploymentFor } from './desired.ts'

const { BENCH_NAMESPACE: namespace = '', BENCH_OF: of, BENCH_MODE: mode } = process.env
const { url, ca, token, objects } = addressOfProgram()
const client = new Client({ access: fromUrl(url, { ca, token }) })
const operator = new Operator({ name: 'bench', client })
const within = { namespaces: [namespace] }
const again = new Channel<{ name: string; namespace: string }>('again')

const owned = (of === 'deployments' ? deployments : configMaps) as View<KubernetesObject, 'namespaced'>
const desired = (name: string): KubernetesObject =>
  of === 'deployments' ? deploymentFor(name) : configMapFor(name, of === 'distinct')

let onAll = (): void => {}
const reconciled = new Set<string>()
const all = async (): Promise<void> => {
  if (reconciled.size < objects) {
    await new Promise<void>(resolve => {
      onAll = resolve
    })
  }
}

const controller = operator
  .controller('bench', { concurrency: mode === 'create' ? 16 : 1 })
  .for(widgets.within(within))
  .from(again)
const done = (name: string): void => {
  if (reconciled.add(name).size === objects) onAll()
}
if (mode === 'idle') {
  // One object, often: the rest is the cost of each object, without the code that is compiled for all.
  const one = owned.within({ ...within, labels: { app: 'warm' } })
  controller.owns(one).reconcile(async ({ key, apply }) => {
    const isFirst = reconciled.size === 0
    for (let i = 0; isFirst && i < objects; i++) await apply(one, desired('warm'))
    done(key.name)
  })
} else {
  controller.owns(owned.within(within)).reconcile(async ({ key, apply }) => {
    await apply(owned, desired(key.name))
    done(key.name)
  })
}
const running = operator.run()
await all()
console.log('ready')
await operator.settled()
const { heap, external } = readMemory()
console.log(`heap ${heap + external}`)
console.log('settled')
const names = [...reconciled]
reconciled.clear()
const begin = performance.now()
for (const name of names) again.send({ name, namespace })
await all()
console.log(`resync ${performance.now() - begin}`)
await running
