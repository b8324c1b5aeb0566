import { expect, it } from 'vitest'
import { startCluster } from '../testkit.fixture.ts'
import { tokenReview } from './authorize.ts'

it.each(['tokenreviews.authentication.k8s.io', 'subjectaccessreviews.authorization.k8s.io'])(
  'X8: waits ten seconds for %s, and asks anew the next time',
  async resource => {
    const { client, server, simulation, close } = await startCluster()
    const authorize = tokenReview(client)
    const asked = { token: server.token, path: '/metrics' }
    await simulation.run(async () => {
      await server.faults.add({ match: { resource }, times: 1, effect: { kind: 'hang' } })
      const from = simulation.clock.monotonic()
      await expect(authorize(asked)).rejects.toMatchObject({ code: 'TIMEOUT' })
      expect(simulation.clock.monotonic() - from).toBeCloseTo(10_000, -2)
      expect(await authorize(asked)).toBe('allowed')
      await server.faults.clear()
    })
    await close()
  },
)
