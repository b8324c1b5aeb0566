/** The program: runs until SIGTERM or SIGINT, in a cluster, or against that of KUBECONFIG. */
import { pods } from '@wherry/client/resources/core'
import { ingresses } from '@wherry/client/resources/networking'
import { Operator } from '@wherry/controller'
import { Webhooks } from '@wherry/webhook'
import { cache, declarePolicySync } from './operator.ts'
import { ownPolicies } from './own-policies.ts'

const { PORT = '8080', WEBHOOK_PORT = '9443', WEBHOOK_ADDRESS } = process.env
const operator = await Operator.connect({
  name: 'policy-sync',
  cache,
  health: { host: '0.0.0.0', port: Number(PORT) },
})
const webhooks = new Webhooks(operator, {
  service: 'policy-sync',
  port: Number(WEBHOOK_PORT),
  // In a cluster the API server calls the Service. On a machine without one it calls this address.
  ...{ address: WEBHOOK_ADDRESS, host: WEBHOOK_ADDRESS },
})
declarePolicySync(operator, { policies: ownPolicies, admission: { webhooks, views: [ingresses, pods] } })
await operator.run()
