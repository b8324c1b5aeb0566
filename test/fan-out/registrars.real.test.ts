import { Client } from '@wherry/client'
import type { RealApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { beforeAll, describe } from 'vitest'
import { allowReader, registrarsOverSockets } from './both-servers.ts'

const available = await realApiServerAvailable('registrars over a dynamic cache')

describe.runIf(available)('registrars over a dynamic cache, on a real API server', () => {
  let server: RealApiServer

  beforeAll(async () => {
    server = await sharedRealServer()
    const { url, ca, token } = server
    await using client = new Client({ url, ca, token })
    await allowReader(client, 'configmaps')
  })

  registrarsOverSockets(() => server, { definitions: 2 })
})
