import { beforeAll, describe, expect, it } from 'vitest'
import { realApiServerAvailable } from '../../packages/testing/src/real/testkit/available.ts'
import { differences } from './compare.ts'
import { type Mutated, mutationsOf } from './mutate.ts'
import { normalise } from './normalise.ts'
import type { Said } from './run-scenario.ts'
import { type Servers, startServers } from './servers.ts'
import type { Target } from './target.ts'

const seeds = Number(process.env.WHERRY_SEEDS ?? 80)
const firstSeed = Number(process.env.WHERRY_FIRST_SEED ?? 1)
const perSeed = 25
const atOnce = 8
const namespace = 'mutated'

const available = await realApiServerAvailable('mutated manifests on the embedded and a real API server')

describe.runIf(available)('manifests with something else somewhere', () => {
  const found: string[] = []

  // The servers are here for the comparison alone: the test below only tells what it found.
  beforeAll(async () => {
    const servers = await startServers()
    try {
      for (const one of ['real', 'embedded'] as const) {
        await servers[one].ask('POST', '/api/v1/namespaces', {}, JSON.stringify({ metadata: { name: namespace } }))
      }
      const queue = Array.from({ length: seeds }, (_, i) => firstSeed + i)
      const work = async (): Promise<void> => {
        for (let seed = queue.shift(); seed !== undefined && found.length < 10; seed = queue.shift()) {
          for (const mutated of mutationsOf(seed, perSeed)) found.push(...(await compared(servers, mutated, seed)))
        }
      }
      await Promise.all(Array.from({ length: atOnce }, work))
    } finally {
      await servers.close()
    }
  }, 3_000_000)

  it(`F4: ${seeds * perSeed} changes of valid manifests are taken, or refused for the same fields, by both servers`, () => {
    expect(found).toEqual([])
  })
})

async function compared(servers: Servers, mutated: Mutated, seed: number): Promise<string[]> {
  const [real, embedded] = await Promise.all([told(servers.real, mutated), told(servers.embedded, mutated)])
  const different = differences(normalise([real]), normalise([embedded]))
  if (different.length === 0) return []
  const again = `seed ${seed} (again: WHERRY_FIRST_SEED=${seed} WHERRY_SEEDS=1)`
  return [`${again}: ${mutated.kind} ${JSON.stringify(mutated.object)}\n${different.join('\n')}`]
}

/** What a server says of a manifest: the object that it would store, or for which fields it refuses. */
async function told(server: Target, { path, object }: Mutated): Promise<Said> {
  const to = `${path.replaceAll('{ns}', namespace)}?dryRun=All&fieldValidation=Strict`
  const body = JSON.stringify(object).replaceAll('{ns}', namespace)
  const { status, text } = await server.ask('POST', to, {}, body)
  const answer = JSON.parse(text) as Answer
  const causes = answer.details?.causes?.map(({ reason, field }) => `${reason} ${field}`)
  // Those of maps come in any order.
  const shown = status === 422 ? [...new Set(causes)].sort() : status >= 300 ? answer.message : asCompared(answer)
  return { step: to, status, headers: {}, body: shown }
}

interface Answer {
  readonly message?: string
  readonly metadata?: object
  readonly rules?: readonly unknown[]
  readonly details?: { readonly causes?: readonly { readonly reason: string; readonly field: string }[] }
}

/** An object without what the comparison of scenarios sees to, and with the one empty list that a real server prints as `null`. */
function asCompared(answer: Answer): object {
  const rules = answer.rules?.length === 0 ? { rules: null } : {}
  return { ...answer, ...rules, metadata: { ...answer.metadata, managedFields: undefined } }
}
