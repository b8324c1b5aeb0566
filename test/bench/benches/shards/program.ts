/** A shard of a ring: `BENCH_RING` of as many members, `BENCH_MEMBER` their number. */
import { Client } from '@wherry/client'
import { fromUrl } from '@wherry/client/internal'
import { configMaps } from '@wherry/client/resources/core'
import { Operator } from '@wherry/controller'
import { addressOfProgram } from '../reconcile/in-program.ts'

const { url, ca, token, objects } = addressOfProgram()
const { BENCH_RING: size = '', BENCH_MEMBER: member = '' } = process.env
const client = new Client({ access: fromUrl(url, { ca, token }) })
const operator = new Operator({
  name: 'bench',
  client,
  shards: { ring: `ring-${size}`, name: `m${member}`, namespace: 'default' },
})
/** So often each object is reconciled. */
const rounds = 4
const runs = new Map<string, number>()
let all = 0
/** Prints the processor time until now, in microseconds: the system counts that of a process from outside in steps of 10 ms. */
const printCpu = (name: string): void => {
  const { user, system } = process.cpuUsage()
  console.log(`${name} ${user + system}`)
}
operator
  .controller('bench')
  .for(configMaps)
  .reconcile(({ key, object }) => {
    if (object.metadata === undefined) throw new Error(`${key.namespace}/${key.name} has no metadata`)
    const text = `${key.namespace}/${key.name}`
    const run = (runs.get(text) ?? 0) + 1
    runs.set(text, run)
    all += 1
    if (runs.size === objects && run === 1) {
      const received = operator.report().informers.reduce((bytes, one) => bytes + one.receivedBytes, 0)
      printCpu('ready')
      console.log(`received ${received}`)
      console.log(`runs ${all}`)
    }
    if (all === objects * rounds) {
      printCpu('done')
      console.log('all')
    }
    return run < rounds ? { requeueAfterMs: 1 } : undefined
  })
printCpu('begin')
await operator.run()
