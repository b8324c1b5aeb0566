import { leases } from '@wherry/client/resources/coordination'
import { aborted } from '@wherry/informer/internal'
import { startApiServer } from '@wherry/testing'
import { describe, expect, it } from 'vitest'
import { LeaderElection } from '../leader/leader-election.ts'
import type { OperatorComponent } from './component.ts'
import { inArcade } from './testkit/arcade.ts'
import { answerOf, operating, until } from './testkit/both-servers.ts'
import { defineGames, games } from './testkit/games.ts'

const part = (name: string, said: string[], rest: Partial<OperatorComponent> = {}): OperatorComponent => ({
  name,
  start: async () => void said.push(`${name} starts`),
  stop: async () => void said.push(`${name} stops`),
  ...rest,
})

describe('components', () => {
  it('start before all controllers, in their order, and stop in the opposite order after them', () =>
    inArcade(async ({ operator, forGames, start, end }) => {
      const said: string[] = []
      operator.addComponent(part('one', said)).addComponent(part('two', said))
      const atTheEnd = (): void => void said.push('the controller stops')
      forGames().reconcile(({ signal }) => {
        said.push('the controller runs')
        signal.addEventListener('abort', atTheEnd)
      })
      await start('chess')
      expect(await end()).toBe('ended')
      expect(said.filter(line => !line.startsWith('the controller s'))).toEqual([
        ...['one starts', 'two starts', 'the controller runs', 'two stops', 'one stops'],
      ])
    }))

  it('end the run if one does not start; it is stopped too, and those after it are not started', () =>
    inArcade(async ({ operator, forGames, run, end, simulation }) => {
      const said: string[] = []
      const start = (): Promise<never> => Promise.reject(new Error('the port is taken'))
      operator
        .addComponent(part('one', said))
        .addComponent(part('two', said, { start }))
        .addComponent(part('3', said))
      forGames().reconcile(() => void said.push('the controller runs'))
      run()
      await simulation.advance(1)
      expect(operator.state).toBe('stopped')
      expect(await end()).toMatchObject({ message: 'the port is taken' })
      expect(said).toEqual(['one starts', 'two stops', 'one stops'])
    }))

  it('do not keep a run from its end, also if one never has started', () =>
    inArcade(async ({ operator, run, end, simulation }) => {
      const said: string[] = []
      const start = (): Promise<never> => new Promise(() => {})
      operator.addComponent(part('one', said, { start })).addComponent(part('two', said))
      run()
      await simulation.advance(1)
      expect(operator.state).toBe('starting')
      expect(await end()).toBe('ended')
      expect(said).toEqual(['one stops'])
    }))

  it('are all stopped, also if one does not stop well', () =>
    inArcade(async ({ operator, run, end, simulation }) => {
      const said: string[] = []
      const stop = (): Promise<never> => Promise.reject(new Error('it hangs'))
      operator.addComponent(part('one', said)).addComponent(part('two', said, { stop }))
      run()
      await simulation.advance(1)
      expect(operator.state).toBe('running')
      expect(await end()).toBe('ended')
      expect(said).toEqual(['one starts', 'two starts', 'one stops'])
      expect(simulation.environment.errors.map(({ error }) => error.message)).toEqual(['it hangs'])
    }))

  it('C5: that do not stop are reported after stopTimeoutMs, and keep neither the others nor the run', () =>
    inArcade(async ({ operator, run, end, simulation }) => {
      const said: string[] = []
      const stop = (): Promise<never> => new Promise(() => {})
      operator
        .addComponent(part('one', said))
        .addComponent(part('two', said, { stop }))
        .addComponent(part('three', said, { stop }))
      run()
      await simulation.advance(1)
      const began = simulation.clock.monotonic()
      expect(await end()).toBe('ended')
      expect(simulation.clock.monotonic() - began).toBe(30_000)
      expect(said.at(-1)).toBe('one stops')
      expect(simulation.environment.errors.map(({ error }) => error.message)).toEqual([
        'the component three has not stopped within 30000 ms',
        'the component two has not stopped within 30000 ms',
      ])
    }))

  it('are an operator enough: it does not say that it has nothing to do', () =>
    inArcade(async ({ operator, run, simulation }) => {
      operator.addComponent(part('one', []))
      run()
      await simulation.advance(1)
      expect(simulation.environment.warnings).toEqual([])
    }))

  it('with needLeaderElection start and stop with the term, before and after its controllers; a replica that waits is ready', () =>
    inArcade({ leader: { namespace: 'default' } }, async ({ operator, client, forGames, start, end, simulation }) => {
      const said: string[] = []
      const terms: unknown[] = []
      const leads: OperatorComponent = {
        ...part('leads', said),
        needLeaderElection: true,
        start: async ({ name, term }) => {
          terms.push([name, term?.identity])
          said.push('leads starts')
        },
      }
      operator.addComponent(leads).addComponent(part('everywhere', said))
      forGames().reconcile(() => void said.push('the controller runs'))
      const other = new LeaderElection({ client, namespace: 'default', name: 'arcade', identity: 'other' })
      const over = new AbortController()
      const running = other.run({ signal: over.signal, lead: ({ signal }) => aborted(signal) })
      await simulation.advance(3000)
      const started = start('chess')
      await simulation.advance(5000)
      expect(said).toEqual(['everywhere starts'])
      over.abort()
      await running
      await started
      expect(await end()).toBe('ended')
      expect(said.slice(1)).toEqual(['leads starts', 'the controller runs', 'leads stops', 'everywhere stops'])
      expect(terms).toEqual([['arcade', expect.any(String)]])
    }))

  it('with needLeaderElection end the run if they do not start, and are stopped', () =>
    inArcade({ leader: { namespace: 'default' } }, async ({ operator, run, end, simulation }) => {
      const said: string[] = []
      const start = (): Promise<never> => Promise.reject(new Error('no'))
      operator.addComponent({ ...part('leads', said), needLeaderElection: true, start })
      run()
      await simulation.advance(5000)
      expect(operator.state).toBe('stopped')
      expect(await end()).toMatchObject({ message: 'no' })
      expect(said).toEqual(['leads stops'])
    }))

  it('with needLeaderElection run in every process if the operator elects no leader', () =>
    inArcade(async ({ operator, run, end, simulation }) => {
      const said: string[] = []
      operator.addComponent({ ...part('leads', said), needLeaderElection: true })
      run()
      await simulation.advance(1)
      await end()
      expect(said).toEqual(['leads starts', 'leads stops'])
    }))

  it('X6: with needLeaderElection are refused by an operator with shards and no leader', () =>
    inArcade({ shards: { ring: 'games', namespace: 'default' } }, async ({ operator }) => {
      const add = () => operator.addComponent({ ...part('leads', []), needLeaderElection: true })
      expect(add).toThrow(expect.objectContaining({ code: 'NOT_SHARDED' }))
      expect(() => operator.addComponent({ ...part('a', []), needLeaderElection: 'yes' } as never)).toThrow(
        'component.needLeaderElection',
      )
    }))

  it('X6: are refused if they are incomplete, late, or have the name of another one', () =>
    inArcade(async ({ operator, run, simulation }) => {
      const add = (component: object) => () => operator.addComponent(component as OperatorComponent)
      expect(add({ name: 'one', start: async () => {} })).toThrow('component.stop takes a function')
      operator.addComponent(part('one', []))
      expect(add(part('one', []))).toThrow('component.name takes a name that no other component has, got "one"')
      run()
      await simulation.advance(1)
      expect(add(part('two', []))).toThrow('components are added before the operator is run')
    }))

  it('hold readiness until they have started, and while their check fails', async () => {
    const server = await startApiServer()
    try {
      await operating(
        server,
        async ({ operator, client, run, errors }) => {
          const { promise, resolve } = Promise.withResolvers<void>()
          let isReady = false
          const ready = (): void => {
            if (!isReady) throw new Error('not yet')
          }
          operator.addComponent({ name: 'hooks', start: () => promise, ready, stop: async () => {} })
          const taken = { name: 'caches', start: async () => {}, stop: async () => {} }
          expect(() => operator.addComponent(taken)).toThrow('a name that no other check has')
          operator
            .controller('game')
            .for(games)
            .reconcile(() => {})
          await defineGames(client)
          run()
          const asked = async (): Promise<string> => answerOf(operator.healthPort, '/readyz/hooks')
          while (operator.healthPort === 0) await new Promise(resolve => setImmediate(resolve))
          expect(await asked()).toContain('[-]hooks failed')
          expect(errors).toEqual([])
          resolve()
          await operator.settled()
          expect(await asked()).toContain('[-]hooks failed')
          expect(errors.map(({ message }) => message)).toEqual(['not yet'])
          isReady = true
          expect(await answerOf(operator.healthPort, '/readyz')).toBe('200 ok')
        },
        { health: {} },
      )
    } finally {
      await server.close()
    }
  })

  it('with needLeaderElection do not hold the readiness of a replica that waits for the lease', async () => {
    const server = await startApiServer()
    try {
      await operating(
        server,
        async ({ operator, client, run }) => {
          const renewTime = new Date().toISOString().replace('Z', '000Z')
          const spec = { holderIdentity: 'other', leaseDurationSeconds: 3600, renewTime }
          await client.create(leases, { metadata: { name: 'arcade', namespace: 'default' }, spec })
          const said: string[] = []
          operator.addComponent({ ...part('leads', said), needLeaderElection: true })
          run()
          await until(() => expect(operator.state).toBe('running'))
          expect(await answerOf(operator.healthPort, '/readyz')).toBe('200 ok')
          expect(said).toEqual([])
        },
        { health: {}, leader: { namespace: 'default' } },
      )
    } finally {
      await server.close()
    }
  })
})
