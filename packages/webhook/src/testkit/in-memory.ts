import { Client, type Environment } from '@wherry/client'
import { Operator } from '@wherry/controller'
import { type EmbeddedApiServer, type HookFunction, type Simulation, simulate, startApiServer } from '@wherry/testing'
import { Webhooks } from '../webhooks.ts'

/** Webhooks of an operator that is not run, on simulated time: their handlers are called by `webhooks.review`. */
export interface InMemory {
  readonly webhooks: Webhooks
  readonly operator: Operator
  readonly client: Client
  readonly server: EmbeddedApiServer
  readonly simulation: Simulation
}

/** A certificate that nothing asks for. */
const unused = { current: () => ({ cert: '', key: '' }), onChange: () => () => {} }

/**
 * @param own what the environment has in place of the simulated one's
 * @param call answers the server's calls of webhooks
 */
export async function inMemory(
  body: (parts: InMemory) => Promise<void>,
  own: Partial<Environment> = {},
  call: HookFunction = () => Promise.reject(new Error('no webhook is called here')),
): Promise<void> {
  const simulation = simulate(7)
  const { clock, random } = simulation
  const environment = { ...simulation.environment, ...own }
  const server = await startApiServer({
    ...{ sockets: false, clock, random: random.fork('server'), clusterObjects: false },
    webhooks: call,
  })
  const transport = server.transport({ random: random.fork('network') })
  const client = new Client({ url: server.url, transport, environment, token: server.token, ca: server.ca })
  const operator = new Operator({ name: 'arcade', client })
  const service = { namespace: 'arcade-system', name: 'arcade' }
  const webhooks = new Webhooks(operator, { service, certificates: unused, groups: ['arcade.example.com'] })
  try {
    await simulation.run(() => body({ webhooks, operator, client, server, simulation }))
  } finally {
    await simulation.run(async () => {
      await operator.close()
      await client.close()
      await server.close()
    })
  }
}
