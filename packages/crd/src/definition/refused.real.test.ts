import { Client, isInvalid } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { type ApiServer, startApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { sharedRealServer } from '@wherry/testing/real/testkit/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  refusedDefinitions,
  type SomeOptions,
  takenDefinitions,
  uncheckedDefinition,
  uselessDefinitions,
} from '../testkit/definitions.ts'

const available = await realApiServerAvailable('the test of definitions that are refused')
const kinds = available ? (['embedded', 'real'] as const) : (['embedded'] as const)

describe.for(kinds)("on an API server of kind '%s'", kind => {
  let server: ApiServer
  beforeAll(async () => {
    server = kind === 'real' ? await sharedRealServer() : await startApiServer()
  })
  afterAll(() => server?.close())

  /** Each definition and whether the server takes it. */
  const answers = async (all: readonly SomeOptions[]): Promise<readonly unknown[]> => {
    const client = new Client({ url: server.url, ca: server.ca, token: server.token })
    try {
      const found: unknown[] = []
      for (const options of all) found.push([options, await isTaken(client, options)])
      return found
    } finally {
      await client.close()
    }
  }

  it('K1: refuses the definitions that we refuse', async () => {
    const all = refusedDefinitions.map(([options]) => options)
    expect(await answers(all)).toEqual(all.map(options => [options, false]))
  })

  it('takes the definitions that we take, and those that we refuse for what they would show', async () => {
    const all = [...takenDefinitions, ...uselessDefinitions.map(([options]) => options)]
    expect(await answers(all)).toEqual(all.map(options => [options, true]))
  })
})

function isTaken(client: Client, options: SomeOptions): Promise<boolean> {
  return client.create(customResourceDefinitions, uncheckedDefinition(options), { dryRun: true }).then(
    () => true,
    error => {
      if (isInvalid(error)) return false
      throw error
    },
  )
}
