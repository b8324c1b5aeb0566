import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type ApiServer, startApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { it } from 'vitest'
import type { ExampleName } from '../../tools/runner/examples.ts'
import type { Tokens } from '../../tools/runner/stage.ts'
import { play } from './play.ts'

const real = (tokens: Tokens): Promise<ApiServer> =>
  startApiServer({ kind: 'real', tokens, authorization: 'RBAC', controllers: false })

const hasReal = await realApiServerAvailable('examples on a real API server')
/** NetObserv's own definition of a FlowCollector, with rules in CEL, if its file is there: else the example's own is used. */
const flowCollectors = join(
  process.env.WHERRY_DATA ?? join(import.meta.dirname, '../../../shared/data'),
  'flowcollectors.crd.yaml',
)
const crd = existsSync(flowCollectors) ? flowCollectors : undefined

/** Plays these examples on a real API server. */
export function playOnARealServer(names: readonly ExampleName[]): void {
  it.runIf(hasReal).each(names)(
    '%s keeps what it promises on a real API server, with the rights of its manifest',
    async name => void (await play(name, real, name === 'secret-reference' ? { crd } : {})),
  )
}
