/** The program: runs until SIGTERM or SIGINT, in a cluster, or against that of KUBECONFIG. */
import { Operator } from '@wherry/controller'
import { cache, declarePolicySync } from './operator.ts'
import { ownPolicies } from './own-policies.ts'

const operator = await Operator.connect({
  name: 'policy-sync',
  cache,
  health: { host: '0.0.0.0', port: Number(process.env.PORT ?? 8080) },
})
declarePolicySync(operator, { policies: ownPolicies })
await operator.run()
