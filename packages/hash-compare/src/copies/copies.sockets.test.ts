import { type EmbeddedApiServer, type FaultHandle, startApiServer } from '@wherry/testing'
import { afterAll, beforeAll, describe } from 'vitest'
import { copiesOverSockets } from './testkit/both-servers.ts'
import { requestsOf } from './testkit/cluster.ts'
import { type Refusals, refusedCopies } from './testkit/refused.ts'

let server: EmbeddedApiServer

beforeAll(async () => {
  server = (await startApiServer()) as EmbeddedApiServer
})

afterAll(() => server.close())

const counted = async (): Promise<number> => Object.values(await requestsOf(server)).reduce((sum, one) => sum + one, 0)

/** The server refuses, whoever asks. */
function refuse(): Refusals {
  const added: { readonly verb: string; readonly code: number; readonly fault: FaultHandle }[] = []
  return {
    add: async (verb, times, code) => {
      for (const before of added) if (before.verb === verb) await before.fault.remove()
      const effect = { kind: 'status', code, reason: code === 409 ? 'Conflict' : 'InternalError' } as const
      const fault = await server.faults.add({ match: { verb, resource: 'configmaps' }, times, effect })
      added.push({ verb, code, fault })
    },
    end: () => server.faults.clear(),
    count: async code => {
      const hits = await Promise.all(added.filter(one => one.code === code).map(({ fault }) => fault.hits()))
      return hits.reduce((sum, one) => sum + one, 0)
    },
  }
}

describe('copies over sockets', () => {
  copiesOverSockets(() => server, counted)
  refusedCopies(() => server, refuse)
})
