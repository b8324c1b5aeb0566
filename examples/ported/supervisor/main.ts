/** The program: runs until SIGTERM or SIGINT, in a cluster, or against that of KUBECONFIG. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { Operator } from '@wherry/controller'
import { declareSupervisor, type Failure } from './operator.ts'

const options = { reports: { type: 'string' }, most: { type: 'string' }, fewest: { type: 'string' } } as const
const { reports = 'http://reports:8080/', most = '4000', fewest = '3000' } = parseArgs({ options }).values
const { PORT = '8080', GATE_PORT = '8081' } = process.env

async function report(failure: Failure, signal: AbortSignal): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(reports, { method: 'POST', headers, body: JSON.stringify(failure), signal })
  if (!answer.ok) throw new Error(`${reports} answers ${answer.status} to the report of ${failure.pod}`)
}

const operator = await Operator.connect({ name: 'supervisor', health: { host: '0.0.0.0', port: Number(PORT) } })
const namespace = operator.client.namespace ?? 'default'
const mayStart = declareSupervisor(operator, { namespace, most: Number(most), fewest: Number(fewest), report })
// What starts pods asks here: 204 if it may start one, 503 if it must wait.
const gate = createServer((_, answer) => answer.writeHead(mayStart() ? 204 : 503).end())
gate.listen(Number(GATE_PORT), () => console.log(`the gate has port ${(gate.address() as AddressInfo).port}`))
await operator.run()
gate.close()
