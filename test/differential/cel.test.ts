import { describe, expect, it } from 'vitest'
import { realApiServerAvailable } from '../../packages/testing/src/real/testkit/available.ts'
import { expressions } from './cel/expressions.ts'
import { generated } from './cel/generate.ts'
import { broken, verdictsOf } from './cel/verdicts.ts'
import { startServers } from './servers.ts'

/** How many expressions are generated, and with which seed. */
const count = Number(process.env.WHERRY_EXPRESSIONS ?? 100)
const seed = Number(process.env.WHERRY_FIRST_SEED ?? 1)
/** How many rules a definition has. */
const size = 100
/** How many definitions are judged at once: a real server takes two seconds to serve a new one, and waits more than it works. */
const atOnce = 6

const available = await realApiServerAvailable('the comparison of CEL on the embedded and a real API server')

describe.runIf(available)('expressions in rules', () => {
  it('F4: are taken, refused and evaluated as by a real server', { timeout: 1_800_000 }, async () => {
    const all = [...expressions, ...generated(count, seed)]
    const servers = await startServers()
    const differ: { expression: string; real: string; embedded: string }[] = []
    try {
      const starts = Array.from({ length: Math.ceil(all.length / size) }, (_, i) => i * size)
      const work = async (): Promise<void> => {
        for (let from = starts.shift(); from !== undefined; from = starts.shift()) {
          const name = `r${from}`
          const batch = all.slice(from, from + size)
          const [real = [], embedded = []] = await Promise.all(
            ([servers.real, servers.embedded] as const).map(server => verdictsOf(server, name, batch)),
          )
          for (const [i, expression] of batch.entries()) {
            if (real[i] === embedded[i] || real[i] === broken) continue
            differ.push({ expression, real: real[i] ?? '', embedded: embedded[i] ?? '' })
          }
        }
      }
      await Promise.all(Array.from({ length: atOnce }, work))
    } finally {
      await servers.close()
    }
    expect(differ).toEqual([])
  })
})
