/** An operator for which each of many ConfigMaps needs the Secret of its name. `BENCH_MODE`: how it comes to them. */
import { Client } from '@wherry/client'
import { fromUrl } from '@wherry/client/internal'
import { configMaps, secrets } from '@wherry/client/resources/core'
import { Operator } from '@wherry/controller'
import { addressOfProgram, reporter } from '../reconcile/in-program.ts'

const { url, ca, token, objects } = addressOfProgram()
const reconciled = reporter(objects)
const client = new Client({ access: fromUrl(url, { ca, token }) })
const operator = new Operator({ name: 'cold', client })
const controller = operator.controller('bench', { concurrency: 32 }).for(configMaps)
if (process.env.BENCH_MODE === 'informer') controller.caches(secrets)
controller.reconcile(async ({ key, read }) => {
  const secret = await read.get(secrets, { name: key.name })
  if (secret === undefined) throw new Error(`no Secret ${key.namespace}/${key.name}`)
  reconciled(`${key.namespace}/${key.name}`)
})
await operator.run()
