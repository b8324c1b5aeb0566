import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { type ApiServer, startApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { ExampleName } from '../../tools/runner/examples.ts'
import { type Tokens, tokensOf } from '../../tools/runner/stage.ts'
import { play } from './play.ts'

const start = (tokens: Tokens): Promise<ApiServer> =>
  startApiServer({ kind: 'real', tokens, authorization: 'RBAC', controllers: false })

/** This example has another definition of games than the quickstart, which leaves its own in the server. */
const redefining: ExampleName = 'crd-upgrade'

const hasReal = await realApiServerAvailable('examples on a real API server')
/** NetObserv's own definition of a FlowCollector, with rules in CEL, if its file is there: else the example's own is used. */
const flowCollectors = join(
  process.env.WHERRY_DATA ?? join(import.meta.dirname, '../../../shared/data'),
  'flowcollectors.crd.yaml',
)
const crd = existsSync(flowCollectors) ? flowCollectors : undefined

/** The example that leaves 30 MB in its server comes last: others would read all of them. */
const filling: ExampleName = 'secret-reference'

/** Plays these examples on a real API server, one after another. */
export function playOnARealServer(names: readonly ExampleName[]): void {
  describe.runIf(hasReal)('on a real API server', () => {
    let server: ApiServer

    // To start one takes half of the time of an example.
    beforeAll(async () => {
      server = await start(Object.assign({}, ...names.map(tokensOf)))
    })

    afterAll(() => server?.close())

    it.each(names.toSorted((a, b) => Number(a === filling) - Number(b === filling)))(
      '%s keeps what it promises, with the rights of its manifest',
      async name => {
        if (name === redefining) await removeDefinition(server, 'games.arcade.example.com')
        const shared = () => Promise.resolve(server)
        await play(name, shared, { isShared: true, ...(name === filling && { crd }) })
      },
    )
  })
}

/** Resolves when the definition is gone, with its objects. */
async function removeDefinition({ url, ca, token }: ApiServer, name: string): Promise<void> {
  await using client = new Client({ url, ca, token })
  if ((await client.get(customResourceDefinitions, { name })) === undefined) return
  await client.delete(customResourceDefinitions, { name })
  await vi.waitFor(async () => expect(await client.get(customResourceDefinitions, { name })).toBeUndefined())
}
