import { fromUrl } from '@wherry/client'
import { type RealApiServer, startRealApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { afterAll, beforeAll, describe } from 'vitest'
import { copiesOverSockets } from './testkit/both-servers.ts'
import { type Refusals, refusedCopies } from './testkit/refused.ts'
import { RefusingTransport } from './testkit/refusing-transport.ts'

const methods = { create: 'POST', update: 'PUT', delete: 'DELETE' } as const

/** What the reconciler sends is refused on its way. */
function refuse({ url, ca, token }: RealApiServer): Refusals {
  const transport = new RefusingTransport(fromUrl(url, { ca, token }).credentials)
  return {
    transport,
    add: async (verb, times, code) => {
      transport.refuse({ method: methods[verb], times, code, reason: code === 409 ? 'Conflict' : 'InternalError' })
    },
    end: async () => transport.refuseNothing(),
    count: async code => transport.refused(code),
  }
}

const available = await realApiServerAvailable('copies')

describe.runIf(available)('copies on a real API server', () => {
  let server: RealApiServer

  beforeAll(async () => {
    server = await startRealApiServer()
  }, 120_000)

  afterAll(() => server?.close())

  copiesOverSockets(
    () => server,
    async () => undefined,
  )
  refusedCopies(
    () => server,
    () => refuse(server),
  )
})
