/** The program: runs until SIGTERM or SIGINT, in a cluster, or against that of KUBECONFIG. */
import { Operator } from '@wherry/controller'
import { declareGames } from './operator.ts'

const { PORT = '8080' } = process.env
const operator = await Operator.connect({ name: 'game-operator', health: { host: '0.0.0.0', port: Number(PORT) } })
declareGames(operator, operator.client.namespace ?? 'default')
await operator.run()
