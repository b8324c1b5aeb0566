/** One replica of an operator that answers each change of the ConfigMap `probe`, and has all others in its cache. */
import { Client } from '@wherry/client'
import { fromUrl } from '@wherry/client/internal'
import { configMaps } from '@wherry/client/resources/core'
import { Operator } from '@wherry/controller'
import { collect } from '../../harness/memory.ts'
import { addressOfProgram } from '../reconcile/in-program.ts'

const { url, ca, token, objects } = addressOfProgram()
const identity = process.env.BENCH_IDENTITY ?? ''
const client = new Client({ access: fromUrl(url, { ca, token }) })
const operator = new Operator({ name: 'handover', client, leader: { namespace: 'default', identity } })
let others = 0
operator
  .controller('bench', { concurrency: 8 })
  .for(configMaps)
  .reconcile(async ({ object, key, client }) => {
    if (key.name !== 'probe') {
      others += 1
      if (others === objects) settled('leads')
      return
    }
    const { asked = '', answered } = object.data ?? {}
    if (asked !== answered) await client.patch(configMaps, key, { data: { answered: asked, by: identity } })
  })

function settled(what: string): void {
  setTimeout(() => {
    collect()
    console.log(what)
  }, 500)
}

const looking = setInterval(() => {
  const { informers } = operator.report()
  if (!informers.some(({ objects: cached, state }) => state === 'watching' && cached >= objects)) return
  clearInterval(looking)
  settled('cached')
}, 20)
await operator.run()
await client.close()
