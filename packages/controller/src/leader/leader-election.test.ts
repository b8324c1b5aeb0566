import type { Client } from '@wherry/client'
import { leases } from '@wherry/client/resources/coordination'
import { configMaps } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import { LeaderElection } from './leader-election.ts'
import type { LeaderElectionOptions } from './options.ts'
import type { Term } from './term.ts'
import { type CandidateProcess, Electorate, lease } from './testkit/election.ts'

let electorate: Electorate

/** Runs a test among candidates, and looks that nothing is left of them. */
async function electing(test: (electorate: Electorate) => Promise<void>): Promise<void> {
  electorate = await Electorate.start(7, 600_000)
  const { simulation } = electorate
  try {
    await simulation.run(() => test(electorate))
  } finally {
    await electorate.close()
  }
  await simulation.advance(120_000)
  expect(simulation.pending()).toEqual([])
}

/** A candidate that has come to lead. */
async function leading(...given: Parameters<Electorate['candidate']>): Promise<CandidateProcess> {
  const one = electorate.candidate(...given)
  await electorate.simulation.runUntil(() => leads(one))
  return one
}

const now = (): number => electorate.simulation.clock.monotonic()
const leads = ({ term }: CandidateProcess): boolean => (term?.remainingMs ?? 0) > 0
const specNow = async () => (await electorate.writer.get(leases, lease))?.spec
const untilAsked = ({ signal }: Term): Promise<void> =>
  new Promise(resolve => signal.addEventListener('abort', () => resolve()))
const phases = (): string[] => electorate.simulation.environment.errors.map(({ context }) => context.phase)

it('C6: takes a lease that nobody has, writes it as client-go does, keeps it, and gives it up in the end', () =>
  electing(async ({ simulation }) => {
    const a = electorate.candidate('a')
    expect(a.election.state).toBe('waiting')
    expect(simulation.environment.metric('leader_election_master_status', { name: 'lease' })).toBe(0)
    await simulation.runUntil(() => leads(a))
    const first = await specNow()
    expect(first).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      leaseTransitions: 0,
      acquireTime: expect.stringMatching(/^2026-01-01T00:00:00\.\d{6}Z$/),
      renewTime: first?.acquireTime,
    })
    expect([a.election.state, a.election.leader, a.election.identity, a.term?.identity]).toEqual([
      'leading',
      'a',
      'a',
      'a',
    ])
    expect(simulation.environment.metric('leader_election_master_status', { name: 'lease' })).toBe(1)
    await simulation.advance(60_000)
    const later = await specNow()
    expect(later).toMatchObject({ acquireTime: first?.acquireTime, leaseTransitions: 0 })
    expect(Date.parse(later?.renewTime as string)).toBeGreaterThan(Date.parse(first?.renewTime as string) + 57_000)
    a.stop()
    await a.running
    expect(a.log).toEqual(['leads 0', 'aborted Error', 'ended'])
    expect(await specNow()).toEqual({
      leaseDurationSeconds: 1,
      leaseTransitions: 0,
      acquireTime: expect.any(String),
      renewTime: expect.any(String),
    })
    expect([a.election.state, a.election.leader]).toEqual(['over', ''])
    expect(simulation.environment.metric('leader_election_master_status', { name: 'lease' })).toBe(0)
    expect(phases()).toEqual([])
  }))

it('C6: another leads at once after a release, and by lease and retry after a death', () =>
  electing(async ({ simulation }) => {
    electorate.history.watch()
    const seldom = { writeMs: 1000 }
    const a = await leading('a', {}, seldom)
    const b = electorate.candidate('b', {}, seldom)
    const c = electorate.candidate('c', {}, seldom)
    await simulation.advance(7000)
    const stoppedAt = now()
    a.stop()
    await simulation.runUntil(() => leads(b) || leads(c))
    // A watch delivers the release: the next look of either would be up to two seconds later.
    expect(now() - stoppedAt).toBeLessThan(500)
    const [dead, heir] = leads(b) ? [b, c] : [c, b]
    await simulation.advance(30_000)
    expect(leads(heir)).toBe(false)
    dead.process.kill()
    const renewedAt = electorate.history.accepted.filter(({ kind }) => kind === 'lease').at(-1)?.at ?? 0
    await simulation.runUntil(() => leads(heir))
    expect(now() - renewedAt).toBeGreaterThanOrEqual(15_000)
    expect(now() - renewedAt).toBeLessThan(15_000 + 500)
    expect(heir.term?.transitions).toBe(2)
    expect(await specNow()).toMatchObject({ holderIdentity: heir.name, leaseTransitions: 2 })
    expect(electorate.history.outOfTerm()).toEqual([])
  }))

it('C6: of two processes with one identity, which see a release at the same time, one leads', () =>
  electing(async ({ simulation }) => {
    for (let round = 0; round < 10; round += 1) {
      const a = await leading(`a${round}`)
      const twins = [electorate.candidate('twin'), electorate.candidate('twin')]
      await simulation.advance(5000)
      a.stop()
      await simulation.advance(5000)
      expect(twins.filter(leads)).toHaveLength(1)
      for (const twin of twins) twin.stop()
      await Promise.all(twins.map(({ running }) => running))
    }
  }))

it('C6: takes a released lease at its next look if it may not watch the lease, or the watch breaks', () =>
  electing(async ({ simulation, server }) => {
    const match = { resource: 'leases.coordination.k8s.io', verb: 'watch' }
    for (const effect of [{ kind: 'status', code: 403 }, { kind: 'status', code: 500 }, { kind: 'drop' }] as const) {
      const fault = await server.faults.add({ match, effect })
      const a = await leading(`a of ${JSON.stringify(effect)}`)
      const b = electorate.candidate(`b of ${JSON.stringify(effect)}`)
      await simulation.advance(20_000)
      const stoppedAt = now()
      a.stop()
      await simulation.runUntil(() => leads(b))
      expect(now() - stoppedAt).toBeLessThan(2000 + 100)
      b.stop()
      await b.running
      // A candidate without the right to watch asks once.
      expect((await fault.hits()) === 1).toBe('code' in effect && effect.code === 403)
      await fault.remove()
    }
    expect(phases()).toEqual([])
  }))

it("C6, D7: a load balancer's page instead of the lease costs nothing: neither is it taken to be gone, nor to be another's", () =>
  electing(async ({ simulation, server }) => {
    const a = await leading('a')
    for (const verb of ['get', 'update', 'create']) {
      const match = { resource: 'leases.coordination.k8s.io', verb }
      const fault = await server.faults.add({ match, effect: { kind: 'status', code: 404, plain: true } })
      await simulation.advance(6000)
      await fault.remove()
      await simulation.advance(5000)
      expect(leads(a)).toBe(true)
    }
    expect(a.log).toEqual(['leads 0'])
    expect(await specNow()).toMatchObject({ holderIdentity: 'a', leaseTransitions: 0 })
    expect(new Set(phases())).toEqual(new Set(['leader renew']))
  }))

it('C6: each term has a number of its own, however often the lease is released', () =>
  electing(async () => {
    for (const [transitions, name] of ['a', 'b', 'c', 'd'].entries()) {
      const one = await leading(name)
      expect(one.term?.transitions).toBe(transitions)
      one.stop()
      await one.running
      expect(await specNow()).toMatchObject({ leaseTransitions: transitions })
    }
  }))

it('C6: an API server that is away for less than the deadline costs nothing', () =>
  electing(async ({ simulation, server }) => {
    const a = await leading('a')
    await simulation.advance(10_000)
    for (const effect of [{ kind: 'status', code: 503 }, { kind: 'drop' }, { kind: 'drop', after: true }] as const) {
      const fault = await server.faults.add({ match: { resource: 'leases.coordination.k8s.io' }, effect })
      await simulation.advance(7000)
      await fault.remove()
      await simulation.advance(5000)
      expect(leads(a)).toBe(true)
    }
    // A hang is broken off early enough for another attempt.
    await server.faults.add({ match: { resource: 'leases.coordination.k8s.io' }, times: 1, effect: { kind: 'hang' } })
    await simulation.advance(30_000)
    expect(leads(a)).toBe(true)
    expect(a.log).toEqual(['leads 0'])
    expect(simulation.environment.metric('leader_election_slowpath_total', { name: 'lease' })).toBeGreaterThan(0)
    expect(new Set(phases())).toEqual(new Set(['leader renew']))
  }))

it('C6: one that is away for longer ends the term by the deadline, on the dot, and for good', () =>
  electing(async ({ simulation, server }) => {
    electorate.history.watch()
    const a = await leading('a')
    await simulation.advance(9000)
    await server.faults.add({
      match: { resource: 'leases.coordination.k8s.io' },
      effect: { kind: 'status', code: 500 },
    })
    const { signal } = a.term as { signal: AbortSignal }
    const last = a.term?.remainingMs as number
    const from = now()
    await simulation.runUntil(() => signal.aborted)
    expect(now() - from).toBe(last)
    expect([
      a.election.state,
      simulation.environment.metric('leader_election_master_status', { name: 'lease' }),
    ]).toEqual(['over', 0])
    expect(last).toBeLessThanOrEqual(10_000)
    expect(signal.reason).toMatchObject({ code: 'LEADERSHIP_LOST', lease: 'default/lease', identity: 'a' })
    await a.running
    expect(a.log).toEqual(['leads 0', 'aborted LeadershipLostError', 'failed LEADERSHIP_LOST'])
    await server.faults.clear()
    await simulation.advance(60_000)
    expect(a.election.state).toBe('over')
    await expect(a.election.run({ lead: () => {} })).rejects.toMatchObject({
      name: 'UsageError',
      code: 'ELECTION_USED',
      message: expect.stringContaining('create another'),
    })
    // Not released: what it sent last may still be under way.
    expect(await specNow()).toMatchObject({ holderIdentity: 'a' })
    expect(electorate.history.outOfTerm()).toEqual([])
  }))

it('C6: the deadline counts from when the renewal began, not from its answer', () =>
  electing(async ({ simulation, server }) => {
    const a = await leading('a')
    await server.faults.add({ match: { resource: 'leases.coordination.k8s.io' }, effect: { kind: 'delay', ms: 4000 } })
    await simulation.advance(20_000)
    expect(leads(a)).toBe(true)
    for (let i = 0; i < 100; i += 1) {
      await simulation.advance(100)
      expect(a.term?.remainingMs).toBeLessThanOrEqual(6000)
    }
  }))

it('C6: a process that stood still sends nothing more, whatever it does first when it goes on', () =>
  electing(async ({ simulation }) => {
    const sent: string[] = []
    electorate.history.watch()
    const a = await leading('a', {}, { writeMs: 40 })
    const b = electorate.candidate('b')
    await simulation.advance(5000)
    a.process.pause()
    await simulation.runUntil(() => leads(b))
    const { client } = a.term as { client: Client }
    const pending = a.election
    a.process.resume()
    // Even before any of its timers has fired.
    await client
      .create(configMaps, { metadata: { name: 'late', namespace: 'default' } })
      .catch((error: Error & { code: string }) => sent.push(error.code))
    await a.running
    await simulation.advance(20_000)
    expect(pending.state).toBe('over')
    expect(await electorate.writer.get(configMaps, { name: 'late', namespace: 'default' })).toBeUndefined()
    expect(a.log.at(-1)).toBe('failed LEADERSHIP_LOST')
    expect(sent).toEqual(['LEADERSHIP_LOST'])
    expect(electorate.history.outOfTerm()).toEqual([])
  }))

it('C6: calls and watches that are under way when the lease is lost end with that error', () =>
  electing(async ({ simulation, server }) => {
    const received: unknown[] = []
    const a = electorate.candidate(
      'a',
      {},
      {
        lead: async term => {
          const note = (error: Error & { code?: string }): void => void received.push(error.code)
          term.client.watchEach(configMaps, {
            event: () => {},
            end: end => note((end as { error?: Error }).error as Error),
          })
          await Promise.all([
            term.client.get(configMaps, { name: 'x', namespace: 'default' }, { timeoutMs: 1_000_000 }).catch(note),
            term.client
              .watch(configMaps)
              .next()
              .then(() => term.client.list(configMaps))
              .catch(note),
          ])
          expect(() => term.check()).toThrow('no longer holds the lease')
          await term.client.list(configMaps).catch(note)
        },
      },
    )
    await server.faults.add({ match: { resource: 'configmaps', verb: 'get' }, effect: { kind: 'hang' } })
    await simulation.runUntil(() => leads(a))
    await simulation.advance(5000)
    await server.faults.add({ match: { resource: 'leases.coordination.k8s.io' }, effect: { kind: 'hang' } })
    await a.running
    // The client that it is made of goes on.
    expect(await a.client.list(configMaps)).toMatchObject({ items: expect.any(Array) })
    expect(received.length).toBeGreaterThanOrEqual(3)
    expect(new Set(received)).toEqual(new Set(['LEADERSHIP_LOST']))
  }))

it('C6: stops at once when another holds the lease', () =>
  electing(async ({ simulation, writer }) => {
    const a = await leading('a')
    await writer.patch(leases, lease, { spec: { holderIdentity: 'usurper', leaseTransitions: 1 } })
    await simulation.advance(2100)
    expect(a.log).toEqual(['leads 0', 'aborted LeadershipLostError', 'failed LEADERSHIP_LOST'])
    expect(await specNow()).toMatchObject({ holderIdentity: 'usurper' })
    expect(a.election.leader).toBe('usurper')
  }))

it('C6: a change of the lease by others, and its deletion, are no loss; what they put there stays', () =>
  electing(async ({ simulation, writer }) => {
    const a = await leading('a')
    await writer.patch(leases, lease, { metadata: { labels: { a: 'b' } }, spec: { preferredHolder: null } })
    await simulation.advance(5000)
    expect((await writer.get(leases, lease))?.metadata?.labels).toEqual({ a: 'b' })
    const before = await specNow()
    await writer.delete(leases, lease)
    await simulation.advance(5000)
    expect(await specNow()).toMatchObject({ holderIdentity: 'a', acquireTime: before?.acquireTime })
    expect(a.log).toEqual(['leads 0'])
    expect(phases()).toEqual([])
  }))

it('C6: goes by its own clock, whatever times the lease has', () =>
  electing(async ({ simulation, writer }) => {
    const spec = {
      holderIdentity: 'old',
      leaseDurationSeconds: 20,
      acquireTime: '1990-01-01T00:00:00.000000Z',
      leaseTransitions: 4,
    }
    await writer.create(leases, { metadata: lease, spec: { ...spec, renewTime: '2090-01-01T00:00:00.000000Z' } })
    const from = now()
    const a = electorate.candidate('a')
    await simulation.advance(12_000)
    // It lives, by a clock that goes wrong.
    await writer.patch(leases, lease, { spec: { renewTime: '1991-01-01T00:00:00.000000Z' } })
    await simulation.runUntil(() => leads(a))
    expect(now() - from).toBeGreaterThanOrEqual(32_000)
    expect(now() - from).toBeLessThan(34_100)
    expect(a.term?.transitions).toBe(5)
  }))

it('C6, X8: a lease with an unreadable duration is waited for, and costs no more requests than another', () =>
  electing(async ({ simulation, server }) => {
    const spec = { holderIdentity: 'old', leaseDurationSeconds: 'x', leaseTransitions: 'y' }
    const metadata = { ...lease, uid: 'u', resourceVersion: '5' }
    const message = JSON.stringify({ kind: 'Lease', apiVersion: 'coordination.k8s.io/v1', metadata, spec })
    const resource = 'leases.coordination.k8s.io'
    await server.faults.add({
      match: { verb: 'get', resource },
      effect: { kind: 'status', code: 200, plain: true, message },
    })
    await server.faults.add({ match: { verb: 'watch', resource }, effect: { kind: 'status', code: 403 } })
    await server.faults.add({ match: { verb: 'update', resource }, effect: { kind: 'status', code: 500 } })
    electorate.candidate('a')
    await simulation.advance(14_000)
    const { get, update } = (await server.stats()).byVerb
    expect(get?.[resource]?.requests).toBeLessThan(15)
    expect(update).toBeUndefined()
    await server.faults.clear()
  }))

it('C6: a lease with our identity that we did not write is another’s', () =>
  electing(async ({ writer }) => {
    const time = '2026-01-01T00:00:00.000000Z'
    const spec = {
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: time,
      renewTime: time,
      leaseTransitions: 0,
    }
    await writer.create(leases, { metadata: lease, spec })
    const from = now()
    await leading('a')
    expect(now() - from).toBeGreaterThanOrEqual(15_000)
  }))

it('C6: a lease that vanished is not free before it would have expired', () =>
  electing(async ({ simulation, writer }) => {
    const a = await leading('a')
    const b = electorate.candidate('b')
    await simulation.advance(5000)
    a.process.pause()
    await writer.delete(leases, lease)
    const from = now()
    await simulation.runUntil(() => leads(b))
    expect(now() - from).toBeGreaterThan(10_000)
  }))

it('C6: a lost answer to what made us leader is found out by reading', () =>
  electing(async ({ server }) => {
    await electorate.writer.create(leases, { metadata: lease, spec: { leaseDurationSeconds: 15, leaseTransitions: 8 } })
    await server.faults.add({ match: { verb: 'update' }, nth: 1, effect: { kind: 'drop', after: true } })
    const a = await leading('a')
    expect(now()).toBeLessThan(3000)
    expect(a.term?.transitions).toBe(9)
    expect((await specNow())?.leaseTransitions).toBe(9)
    expect(phases()).toEqual(['leader acquire'])
  }))

it('C6: waits for a part that ends slowly, keeps the lease meanwhile, and gives up on one that does not end', () =>
  electing(async ({ simulation }) => {
    let finish = (): void => {}
    const slow = electorate.candidate('slow', {}, { lead: () => new Promise<void>(resolve => (finish = resolve)) })
    await simulation.runUntil(() => leads(slow))
    slow.stop()
    await simulation.advance(25_000)
    expect([slow.election.state, leads(slow)]).toEqual(['leading', true])
    expect(slow.term?.signal.reason).toMatchObject({ message: 'asked to stop' })
    const { client } = slow.term as { client: Client }
    await client.list(configMaps)
    finish()
    await slow.running
    expect(slow.log.at(-1)).toBe('ended')
    await expect(client.list(configMaps)).rejects.toMatchObject({ code: 'TERM_OVER' })

    let fail = (_: Error): void => {}
    const stuck = electorate.candidate(
      'stuck',
      { graceMs: 5000 },
      { lead: () => new Promise<void>((_, reject) => (fail = reject)) },
    )
    await simulation.runUntil(() => leads(stuck))
    stuck.stop()
    await stuck.running
    expect(stuck.log.at(-1)).toBe('failed LEADER_STUCK')
    expect((await specNow())?.holderIdentity).toBe('stuck')
    fail(new Error('at last'))
    await simulation.advance(1)
    expect(simulation.environment.errors.map(({ error }) => error.message)).toEqual(['at last'])
  }))

it('C6: ends when its part does, and passes on what that throws', () =>
  electing(async () => {
    const done = electorate.candidate('done', {}, { lead: () => 1 })
    await done.running
    expect(done.log).toEqual(['leads 0', 'aborted TermOverError', 'ended'])
    const failing = electorate.candidate(
      'failing',
      {},
      {
        lead: () => {
          throw new Error('mine')
        },
      },
    )
    await failing.running
    expect(failing.log.at(-1)).toBe('failed mine')
    expect((await specNow())?.holderIdentity).toBeUndefined()
    const keeping = electorate.candidate('keeping', { releaseOnStop: false }, { lead: () => {} })
    await keeping.running
    expect((await specNow())?.holderIdentity).toBe('keeping')
  }))

it('C6: stops waiting when asked to, and leaves no lease behind', () =>
  electing(async ({ simulation }) => {
    await leading('a')
    const b = electorate.candidate('b')
    await simulation.advance(3000)
    const from = now()
    b.stop()
    await b.running
    expect([now() - from, b.log, b.election.state]).toEqual([0, ['ended'], 'over'])
    expect((await specNow())?.holderIdentity).toBe('a')
  }))

it('C6: gives up only a lease of its own, in its latest state, and ends all the same if it can not', () =>
  electing(async ({ server, writer }) => {
    const changed = await leading('changed', {}, { lead: untilAsked })
    await writer.patch(leases, lease, { metadata: { labels: { a: 'b' } } })
    changed.stop()
    await changed.running
    const given = await writer.get(leases, lease)
    expect([given?.spec?.holderIdentity, given?.metadata?.labels]).toEqual([undefined, { a: 'b' }])

    const late = await leading('late', {}, { lead: untilAsked })
    await writer.patch(leases, lease, { spec: { holderIdentity: 'usurper' } })
    late.stop()
    await late.running
    expect([late.log.at(-1), late.election.leader]).toEqual(['ended', 'usurper'])
    expect((await specNow())?.holderIdentity).toBe('usurper')
    expect(late.said.map(([, message]) => message)).not.toContain('released')
    expect(phases()).toEqual([])

    await writer.delete(leases, lease)
    const barred = await leading('barred', {}, { lead: untilAsked })
    await server.faults.add({ match: { verb: 'update' }, effect: { kind: 'status', code: 500 } })
    barred.stop()
    await barred.running
    expect(barred.log.at(-1)).toBe('ended')
    expect(phases()).toEqual(['leader release'])
  }))

it('C6: asked to stop when the lease comes, it does not lead, and gives it up', () =>
  electing(async () => {
    const a = electorate.candidate('a', { onNewLeader: identity => identity === 'a' && a.stop() })
    await a.running
    expect([a.log, a.election.state, a.election.leader]).toEqual([['ended'], 'over', ''])
    expect(await specNow()).toMatchObject({ leaseDurationSeconds: 1 })
    expect(phases()).toEqual([])
  }))

it('C6, X8: an attempt that hangs is broken off, and at once when asked to stop', () =>
  electing(async ({ simulation, server }) => {
    const match = { resource: 'leases.coordination.k8s.io' }
    const fault = await server.faults.add({ match, effect: { kind: 'hang' } })
    const b = electorate.candidate('b')
    await simulation.advance(1000)
    const from = now()
    b.stop()
    await b.running
    expect([now() - from, b.log]).toEqual([0, ['ended']])
    expect(phases()).toEqual([])
    await fault.remove()
    await server.faults.add({ match, times: 1, effect: { kind: 'hang' } })
    const began = now()
    await leading('a')
    // Half of the deadline, and a pause.
    expect(now() - began).toBeLessThan(5000 + 2000 + 100)
    expect(phases()).toEqual(['leader acquire'])
  }))

it('C6, X8: a server that fails is asked seldom', () =>
  electing(async ({ simulation, server }) => {
    const resource = 'leases.coordination.k8s.io'
    await server.faults.add({ match: { resource }, effect: { kind: 'status', code: 500 } })
    electorate.candidate('a')
    await simulation.advance(60_000)
    const requests = (await server.stats()).byVerb.get?.[resource]?.requests
    expect(requests).toBeGreaterThanOrEqual(30)
    expect(requests).toBeLessThanOrEqual(61)
  }))

it('C6, X8: a write that another one meets each time is tried three times, and then later', () =>
  electing(async ({ server }) => {
    const resource = 'leases.coordination.k8s.io'
    const writes = async (): Promise<number> => (await server.stats()).byVerb.update?.[resource]?.requests ?? 0
    const a = await leading('a', { name: 'one' }, { lead: untilAsked })
    await server.faults.add({ match: { verb: 'update' }, effect: { kind: 'status', code: 409, reason: 'Conflict' } })
    const before = await writes()
    a.stop()
    await a.running
    expect([a.log.at(-1), (await writes()) - before]).toEqual(['ended', 3])
    const b = electorate.candidate('b', { name: 'other' }, { lead: untilAsked })
    await b.running
    expect(b.log.at(-1)).toBe('failed LEADERSHIP_LOST')
    // At most ten attempts before the deadline.
    expect(await writes()).toBeLessThanOrEqual(before + 3 + 30)
    expect(new Set(phases())).toEqual(new Set(['leader release', 'leader renew']))
  }))

it('C6: a candidate that stood still while it took the lease goes on as one', () =>
  electing(async ({ simulation, server, writer }) => {
    await server.faults.add({ match: { verb: 'create' }, effect: { kind: 'delay', ms: 2000 } })
    // Which comes first when it goes on is chance: the answer that it has the lease, or the end of its wait.
    const candidates = Array.from({ length: 16 }, (_, i) => electorate.candidate(`c${i}`, { name: `lease-${i}` }))
    await simulation.advance(1000)
    for (const { process } of candidates) process.pause()
    await simulation.advance(20_000)
    expect((await writer.list(leases)).items).toHaveLength(16)
    for (const { process } of candidates) process.resume()
    await simulation.advance(10_000)
    expect(candidates.map(({ log }) => log)).toEqual(Array.from(candidates, () => ['leads 0']))
  }))

it('C6: what a part does wrong once the lease is lost is reported', () =>
  electing(async ({ simulation, writer }) => {
    const usurp = (name: string): Promise<unknown> =>
      writer.patch(leases, { ...lease, name }, { spec: { holderIdentity: 'usurper', leaseTransitions: 1 } })
    const parts: [string, (term: Term) => Promise<void>][] = [
      ['fails', term => untilAsked(term).then(() => Promise.reject(new Error('mine')))],
      ['heeds', term => untilAsked(term).then(() => term.check())],
      ['hangs', () => new Promise(() => {})],
    ]
    const candidates = parts.map(([name, lead]) => electorate.candidate(name, { name, graceMs: 5000 }, { lead }))
    await simulation.runUntil(() => candidates.every(leads))
    for (const { name } of candidates) await usurp(name)
    for (const { running, log } of candidates) {
      await running
      expect(log.at(-1)).toBe('failed LEADERSHIP_LOST')
    }
    const reported = simulation.environment.errors.map(({ error, context: { phase, key } }) => [
      phase,
      key,
      error.message,
    ])
    expect(reported).toEqual([
      ['leader lead', 'default/fails', 'mine'],
      ['leader lead', 'default/hangs', expect.stringContaining('5000 ms')],
    ])
    expect(simulation.environment.errors[1]?.error).toMatchObject({ name: 'LeaderStuckError', graceMs: 5000 })
  }))

it('says in its log what becomes of the lease', () =>
  electing(async ({ writer }) => {
    const about = { lease: 'default/lease' }
    const a = await leading('a')
    a.stop()
    await a.running
    expect(a.said).toEqual([
      ['info', 'the lease has a new holder', { ...about, identity: 'a' }],
      ['info', 'holds the lease', { ...about, identity: 'a' }],
      ['info', expect.stringContaining('is over'), about],
      ['info', 'nobody holds the lease', { ...about, identity: '' }],
      ['info', 'released', about],
    ])
    const b = await leading('b')
    await writer.patch(leases, lease, { spec: { holderIdentity: 'c', leaseTransitions: 9 } })
    await b.running
    expect(b.said.slice(-2)).toEqual([
      ['info', 'the lease has a new holder', { ...about, identity: 'c' }],
      ['error', expect.stringContaining('c holds it'), about],
    ])
    const d = await leading('d')
    await writer.patch(leases, lease, { spec: { holderIdentity: '', leaseTransitions: 20 } })
    await d.running
    expect(d.said.at(-1)).toEqual(['error', expect.stringContaining('nobody holds it'), about])
  }))

it('C6: waits out 429 without giving up, and reports the leader', () =>
  electing(async ({ simulation, server }) => {
    const seen: string[] = []
    const a = await leading('a')
    const onNewLeader = (identity: string): void => {
      seen.push(identity)
      throw new Error('deaf')
    }
    const b = electorate.candidate('b', { onNewLeader })
    const busy = { kind: 'status', code: 429, retryAfterSeconds: 1 } as const
    await server.faults.add({ match: { resource: 'leases.coordination.k8s.io' }, times: 6, effect: busy })
    await simulation.advance(20_000)
    expect(leads(a)).toBe(true)
    a.stop()
    await simulation.runUntil(() => leads(b))
    expect(b.election.leader).toBe('b')
    expect(seen).toEqual(['a', '', 'b'])
    expect(phases()).toContain('leader onNewLeader')
  }))

it('X6: names a wrong option', () =>
  electing(async ({ writer }) => {
    const good = { client: writer, name: 'l', namespace: 'n' }
    const saysWhat = expect.stringMatching(/ takes \S.*, got \S| is an unknown option; valid options are \S/)
    const wrong: [Record<string, unknown>, string][] = [
      [{ client: undefined }, 'leader.client'],
      [{ client: {} }, 'leader.client'],
      [{ name: undefined }, 'leader.name'],
      [{ name: '' }, 'leader.name'],
      [{ namespace: undefined }, 'leader.namespace'],
      [{ identity: '' }, 'leader.identity'],
      [{ leaseMs: 1500 }, 'leader.leaseMs'],
      [{ leaseMs: 0 }, 'leader.leaseMs'],
      [{ leaseMs: Number.NaN }, 'leader.leaseMs'],
      [{ leaseMs: 2 ** 31 * 1000 }, 'leader.leaseMs'],
      [{ leaseMs: '15' }, 'leader.leaseMs'],
      [{ leaseMs: 10_000 }, 'leader.renewDeadlineMs'],
      [{ renewDeadlineMs: 15_000 }, 'leader.renewDeadlineMs'],
      [{ renewDeadlineMs: 0 }, 'leader.renewDeadlineMs'],
      [{ retryMs: 10_000 }, 'leader.retryMs'],
      [{ retryMs: -1 }, 'leader.retryMs'],
      [{ releaseOnStop: 'yes' }, 'leader.releaseOnStop'],
      [{ graceMs: -1 }, 'leader.graceMs'],
      [{ onNewLeader: 1 }, 'leader.onNewLeader'],
      [{ lease: 'l' }, 'leader.lease'],
    ]
    for (const [part, option] of wrong) {
      const make = (): unknown => new LeaderElection({ ...good, ...part } as LeaderElectionOptions)
      expect(make, option).toThrow(expect.objectContaining({ code: 'INVALID_OPTION', option, message: saysWhat }))
    }
    const none = { code: 'INVALID_OPTION', option: 'leader', message: saysWhat }
    expect(() => new LeaderElection(undefined as never)).toThrow(expect.objectContaining(none))
    for (const what of ['name', 'namespace']) {
      const make = (): unknown => new LeaderElection({ ...good, [what]: 'a/b' })
      expect(make).toThrow(expect.objectContaining({ code: 'INVALID_NAME', what }))
    }
    const election = new LeaderElection(good)
    await expect(election.run({} as never)).rejects.toMatchObject({ option: 'run.lead' })
    await expect(election.run({ lead: () => {}, signal: 1 } as never)).rejects.toMatchObject({ option: 'run.signal' })
    expect(election.state).toBe('idle')
  }))

it('X6: takes the shortest lease and the longest, and a part that may take for ever to end', () =>
  electing(async ({ writer }) => {
    const good = { client: writer, name: 'l', namespace: 'n', graceMs: Number.POSITIVE_INFINITY }
    for (const leaseMs of [1000, (2 ** 31 - 1) * 1000]) {
      const make = (): unknown => new LeaderElection({ ...good, leaseMs, renewDeadlineMs: 2, retryMs: 1 })
      expect(make).not.toThrow()
    }
  }))

it('C6: no two candidates of one host are called the same', () =>
  electing(async ({ writer }) => {
    const called = Array.from({ length: 20 }, () => {
      const { identity } = new LeaderElection({ client: writer, name: 'l', namespace: 'n' })
      return identity
    })
    for (const identity of called) {
      expect(identity).toMatch(/^.+_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/)
    }
    expect(new Set(called).size).toBe(called.length)
  }))

it('X9: an onNewLeader that rejects is reported, and the candidate leads all the same', () =>
  electing(async ({ simulation, writer }) => {
    const onNewLeader = async (): Promise<void> => Promise.reject(new Error('no news'))
    const election = new LeaderElection({ client: writer, ...lease, onNewLeader })
    let hasLed = false
    await election.run({
      lead: () => {
        hasLed = true
      },
    })
    expect(hasLed).toBe(true)
    expect(simulation.environment.errors.map(({ error }) => error.message)).toContain('no news')
  }))
