/** The program: runs until SIGTERM or SIGINT, in a cluster, or against that of KUBECONFIG. */
import { Operator } from '@wherry/controller'
import { declareCopiedCsvs } from './operator.ts'

const { PORT = '8080', SOURCES = 'operators', MEMBERS = 'operator-group=arcade' } = process.env
const operator = await Operator.connect({
  name: 'copied-resources',
  health: { host: '0.0.0.0', port: Number(PORT) },
})
await declareCopiedCsvs(operator, { sources: SOURCES, members: MEMBERS })
await operator.run()
