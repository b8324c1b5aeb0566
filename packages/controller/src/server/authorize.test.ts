import { expect, it } from 'vitest'
import { startCluster } from '../testkit.fixture.ts'
import { tokenReview } from './authorize.ts'

it.each(['tokenreviews.authentication.k8s.io', 'subjectaccessreviews.authorization.k8s.io'])(
  'X8: waits ten seconds for %s, and asks again the next time',
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

it('C8, X8: asks about four tokens at a time and a hundred in ten seconds, and remembers the answers', async () => {
  const { client, server, simulation, close } = await startCluster()
  const authorize = tokenReview(client)
  const ask = async (token: string) => authorize({ token, path: '/metrics' })
  const reviews = async () =>
    (await server.stats()).byVerb.create?.['tokenreviews.authentication.k8s.io']?.requests ?? 0
  await simulation.run(async () => {
    await server.faults.add({
      match: { resource: 'tokenreviews.authentication.k8s.io' },
      effect: { kind: 'delay', ms: 100 },
    })
    const burst = await Promise.all(Array.from({ length: 10 }, (_, i) => ask(`junk-${i}`)))
    expect(burst).toEqual([...Array(4).fill('unknown'), ...Array(6).fill('busy')])
    for (let i = 4; i < 150; i++) expect(await ask(`junk-${i}`)).toBe(i < 100 ? 'unknown' : 'busy')
    expect(await ask('junk-0')).toBe('unknown')
    expect(await reviews()).toBe(100)
  })
  await simulation.advance(10_000)
  await simulation.run(async () => {
    expect(await ask(server.token)).toBe('allowed')
    expect(await ask(server.token)).toBe('allowed')
    expect(await reviews()).toBe(101)
  })
  await close()
})

it('C8: a token that was allowed is checked again at once in a flood of others, for an hour', async () => {
  const { client, server, simulation, close } = await startCluster()
  const authorize = tokenReview(client)
  const ask = async (token: string) => authorize({ token, path: '/metrics' })
  await simulation.run(async () => expect(await ask(server.token)).toBe('allowed'))
  for (let minute = 0; minute < 12; minute++) {
    await simulation.advance(60_000)
    await simulation.run(async () => {
      const flood = Array.from({ length: 120 }, (_, i) => ask(`junk-${minute}-${i}`))
      const verdicts = await Promise.all([...flood, ask(server.token)])
      expect(verdicts.at(-1)).toBe('allowed')
      expect(verdicts.filter(verdict => verdict === 'busy')).toHaveLength(116)
    })
  }
  await simulation.advance(3_600_000)
  await simulation.run(async () => {
    const flood = Array.from({ length: 120 }, (_, i) => ask(`junk-${i}`))
    expect((await Promise.all([...flood, ask(server.token)])).at(-1)).toBe('busy')
  })
  await close()
})

it('remembers a failure too', async () => {
  const { client, server, simulation, close } = await startCluster()
  const authorize = tokenReview(client)
  const asked = { token: server.token, path: '/metrics' }
  await simulation.run(async () => {
    await server.faults.add({ times: 1, effect: { kind: 'status', code: 500 } })
    await expect(authorize(asked)).rejects.toMatchObject({ status: 500 })
    await expect(authorize(asked)).rejects.toMatchObject({ status: 500 })
  })
  await simulation.advance(10_000)
  await simulation.run(async () => expect(await authorize(asked)).toBe('allowed'))
  await close()
})
