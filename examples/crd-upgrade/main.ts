/** The program: runs until SIGTERM or SIGINT, in a cluster, or against that of KUBECONFIG. */
import { Operator } from '@wherry/controller'
import { declareMigration } from './migration.ts'
import { declareGames } from './operator.ts'

const { NAMESPACE = 'default', PORT = '8080' } = process.env
const operator = await Operator.connect({
  name: 'crd-upgrade',
  leader: { namespace: NAMESPACE },
  health: { host: '0.0.0.0', port: Number(PORT) },
})
declareGames(operator)
declareMigration(operator, NAMESPACE)
await operator.run()
