/** An operator in the clusters of the file `BENCH_CLUSTERS`. It prints when all objects were reconciled, and when the reconcile of each change began. */
import { readFileSync } from 'node:fs'
import { Client } from '@wherry/client'
import { fromUrl } from '@wherry/client/internal'
import { configMaps } from '@wherry/client/resources/core'
import { Operator } from '@wherry/controller'
import { Clusters } from '@wherry/controller/clusters'
import type { ServerAddress } from '../../harness/bench.ts'
import { addressOfProgram } from '../reconcile/in-program.ts'

const { url, ca, token, objects } = addressOfProgram()
const found = JSON.parse(readFileSync(process.env.BENCH_CLUSTERS ?? '', 'utf8')) as readonly ServerAddress[]
const home = new Operator({ name: 'bench', client: new Client({ access: fromUrl(url, { ca, token }) }) })
const reconciled = new Set<string>()
const clusters = new Clusters({
  provider: {
    provide: async ({ set }) => {
      for (const [index, { url, ca = '', token }] of found.entries()) set(`cluster-${index}`, { url, ca, token })
    },
  },
  declare: (operator, { name }) => {
    operator
      .controller('bench')
      .for(configMaps)
      .reconcile(({ key, object }) => {
        const change = object.data?.change
        if (change !== undefined) return console.log(`change-${change} ${Number(process.hrtime.bigint()) / 1e3}`)
        reconciled.add(`${name} ${key.namespace}/${key.name}`)
        if (reconciled.size === objects) console.log('ready')
      })
  },
})
home.addComponent(clusters)
await home.run()
