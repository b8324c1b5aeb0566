/** The program: runs until SIGTERM or SIGINT, in a cluster, or against that of KUBECONFIG. */
import { Operator } from '@wherry/controller'
import { Webhooks } from '@wherry/webhook'
import { labelWithAuthor } from './author.ts'
import { noticeConversion } from './conversion.ts'
import { declareNotices } from './operator.ts'
import { limitByQuota } from './quota.ts'

const { PORT = '8080', WEBHOOK_PORT = '9443', WEBHOOK_ADDRESS } = process.env
const operator = await Operator.connect({
  name: 'defaulting',
  leader: true,
  health: { host: '0.0.0.0', port: Number(PORT) },
})
declareNotices(operator)
const webhooks = new Webhooks(operator, {
  service: 'defaulting',
  groups: ['board.example.com'],
  port: Number(WEBHOOK_PORT),
  // In a cluster the API server calls the Service. On a machine without one it calls this address.
  ...{ address: WEBHOOK_ADDRESS, host: WEBHOOK_ADDRESS },
})
limitByQuota(webhooks, operator.client.namespace ?? 'default')
labelWithAuthor(webhooks)
webhooks.convert(noticeConversion)
await operator.run()
