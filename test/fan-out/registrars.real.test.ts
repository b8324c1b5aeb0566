import { Client } from '@wherry/client'
import { type RealApiServer, startRealApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { afterAll, beforeAll, describe } from 'vitest'
import { allowReader, reader, registrarsOverSockets } from './both-servers.ts'

const available = await realApiServerAvailable('registrars over a dynamic cache')

describe.runIf(available)('registrars over a dynamic cache, on a real API server', () => {
  let server: RealApiServer

  beforeAll(async () => {
    server = await startRealApiServer({ tokens: { [reader.token]: { name: reader.name, groups: [] } } })
    const { url, ca, token } = server
    await using client = new Client({ url, ca, token })
    await allowReader(client, 'configmaps')
  })

  afterAll(() => server?.close())

  registrarsOverSockets(() => server, { definitions: 2 })
})
