/**
 * The program: runs until SIGTERM or SIGINT, in a cluster, or against that of KUBECONFIG. With `--informers` it caches all
 * ConfigMaps and Secrets, to compare.
 */
import { Operator } from '@wherry/controller'
import { declareFlowCollectors } from './operator.ts'

const operator = await Operator.connect({
  name: 'secret-reference',
  health: { host: '0.0.0.0', port: Number(process.env.PORT ?? 8080) },
})
declareFlowCollectors(operator, { informers: process.argv.includes('--informers') })
await operator.run()
