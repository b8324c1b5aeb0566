import { type EmbeddedApiServer, startApiServer } from '@wherry/testing'
import { afterAll, beforeAll, describe } from 'vitest'
import { copiesOverSockets } from './testkit/both-servers.ts'
import { requestsOf } from './testkit/cluster.ts'

let server: EmbeddedApiServer

beforeAll(async () => {
  server = (await startApiServer()) as EmbeddedApiServer
})

afterAll(() => server.close())

const counted = async (): Promise<number> => Object.values(await requestsOf(server)).reduce((sum, one) => sum + one, 0)

describe('copies over sockets', () => {
  copiesOverSockets(() => server, counted)
})
