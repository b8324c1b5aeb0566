/** The program: runs until SIGTERM or SIGINT, in a cluster, or against that of KUBECONFIG. */
import { Operator } from '@wherry/controller'
import { declareTenants, declareWorkspaces } from './operator.ts'

const { PORT = '8080' } = process.env
const operator = await Operator.connect({ name: 'tenants', health: { host: '0.0.0.0', port: Number(PORT) } })
declareTenants(operator)
declareWorkspaces(operator)
await operator.run()
