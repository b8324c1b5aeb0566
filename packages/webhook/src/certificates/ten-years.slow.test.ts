import { X509Certificate } from 'node:crypto'
import { forEachSeed, simulate } from '@wherry/testing'
import { describe, expect, it } from 'vitest'
import { SharedSecret } from '../testkit/shared-secret.ts'
import { OwnCertificates } from './own-certificates.ts'
import { certificatesOf, isSignedBy } from './pem.ts'
import { type Lives, lagMs } from './schedule.ts'

const dayMs = 86_400_000
/** How often the certificates are looked at, other than when something changes. */
const stepDays = 5
const now = Date.UTC(2026, 0, 1)

/** Remembers what a function gave for the same texts: a certificate is looked at on many days. */
function once<A extends readonly unknown[], R>(of: (...args: A) => R): (...args: A) => R {
  const known = new Map<string, R>()
  return (...args) => {
    const key = args.join()
    const found = known.get(key) ?? of(...args)
    known.set(key, found)
    return found
  }
}

/** What was published as a bundle, and when. */
interface Published {
  readonly at: number
  readonly pems: readonly string[]
}

describe('ten years of two replicas', () => {
  it('B3: each serving certificate is verified by each bundle that is not older than the lag, with clocks wrong by a day', async () => {
    await forEachSeed(
      async seed => {
        const { clock, random, advance, run, settle } = simulate(seed, { limitMs: 4000 * dayMs, maxSteps: 10_000_000 })
        const secret = new SharedSecret()
        const errors: Error[] = []
        const bundles: Published[] = []
        // Each run has lives and clocks of its own. One clock is wrong by all of a day.
        const lives: Lives = { authorityMs: 360 * dayMs, servingMs: (14 + random() * 28) * dayMs }
        const wrong = random() < 0.5 ? -dayMs : dayMs
        const skews = [wrong, wrong * (1 - 2 * random())]
        const late = (): number => random() * 10 * dayMs
        const replicas = skews.map(skew => {
          const { client, narrow } = secret.replica(clock, skew, late, error => void errors.push(error))
          const key = { namespace: 'games', name: 'arcade-webhook-authorities' }
          const parts = { client, narrow, secret: key, fieldManager: 'arcade/webhooks', names: ['arcade.games.svc'] }
          return new OwnCertificates({ ...parts, lives })
        })
        const problems = new Set<string>()
        const validityOf = once((cert: string) => {
          const { validFromDate, validToDate } = new X509Certificate(cert)
          return { from: validFromDate.getTime(), to: validToDate.getTime() }
        })
        const verifies = once((cert: string, pems: readonly string[]) => isSignedBy(cert, pems.flatMap(certificatesOf)))
        let looks = 0
        const look = (): void => {
          const time = clock.now()
          const current = bundles.filter(
            ({ at }, index) => at > time - lagMs(lives) || (bundles[index + 1]?.at ?? time) > time - lagMs(lives),
          )
          for (const [index, one] of replicas.entries()) {
            const { cert } = one.current()
            const { from, to } = validityOf(cert)
            looks += 1
            const day = Math.floor((time - now) / dayMs)
            // The clock of the API server may be wrong by a day too.
            if (from > time - dayMs || to < time + dayMs)
              problems.add(`day ${day}: the certificate of replica ${index} is not valid`)
            for (const { at, pems } of current)
              if (!verifies(cert, pems))
                problems.add(
                  `day ${day}: replica ${index} is refused by the bundle of day ${Math.floor((at - now) / dayMs)}`,
                )
          }
        }
        await run(async () => {
          await Promise.all(replicas.map(one => one.start()))
        })
        await settle()
        const publish = (pems: readonly string[]): void => {
          if (bundles.at(-1)?.pems.join() !== pems.join()) bundles.push({ at: clock.now(), pems })
          look()
        }
        publish((replicas[0] as OwnCertificates).authorities)
        for (const one of replicas)
          one.onChange(() => {
            look()
            const { authorities } = one
            clock.timer(late(), () => publish(authorities))
          })
        for (let day = 0; day < 3650; day += stepDays) {
          await advance(stepDays * dayMs)
          look()
        }
        await run(async () => {
          for (const one of replicas) await one.stop()
        })
        expect([[...problems].slice(0, 5), errors]).toEqual([[], []])
        // The pair, and then an authority each half year.
        expect([secret.writes, bundles.length > 20, looks > (3650 / stepDays) * 2]).toEqual([21, true, true])
      },
      { seeds: 1 },
    )
  }, 600_000)
})
