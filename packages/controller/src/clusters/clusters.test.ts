import { sleep } from '@wherry/client/internal'
import { type Lease, leases } from '@wherry/client/resources/coordination'
import { configMaps } from '@wherry/client/resources/core'
import { expect, it } from 'vitest'
import type { Operator } from '../operator/operator.ts'
import { Clusters } from './clusters.ts'
import type { Cluster } from './engagement.ts'
import type { ClusterProvider } from './provider.ts'
import { inFleet, kubeconfigOf, watched } from './testkit/fleet.ts'

/** Declares a controller that notes its runs, and which objects are gone. */
const noting =
  (events: string[]) =>
  (operator: Operator, { name }: Cluster): void => {
    operator
      .controller('config')
      .for(watched)
      .reconcile(async ({ key, apply }) => {
        events.push(`${name} ${key.name}`)
        await apply(configMaps, { metadata: { name: `${key.name}-done` }, data: { cluster: name } })
      })
      .onGone(({ key }) => void events.push(`${name} ${key.name} is gone`))
      .onLeft(({ key }) => void events.push(`${name} ${key.name} has left`))
  }

const states = (clusters: Clusters): string[] => clusters.report().map(({ name, state }) => `${name} ${state}`)

it('M1: clusters come and go at run time, and each object is reconciled in its own cluster', () =>
  inFleet(['a', 'b'], async fleet => {
    const { simulation } = fleet
    const events: string[] = []
    await fleet.write('a', 'one')
    await fleet.write('b', 'two')
    const { clusters } = fleet.operate(noting(events))
    await simulation.advance(5000)
    expect(states(clusters)).toEqual([])
    await fleet.secret('a')
    await simulation.advance(5000)
    expect(states(clusters)).toEqual(['a running'])
    expect(events).toEqual(['a one'])
    await fleet.secret('b')
    await simulation.advance(5000)
    expect(events).toEqual(['a one', 'b two'])
    expect(clusters.operator('b')?.client.server).toBe('https://b.example.com/')
    for (const [site, name] of [
      ['a', 'one-done'],
      ['b', 'two-done'],
    ] as const) {
      const made = await fleet.site(site).client.get(configMaps, { namespace: 'default', name })
      expect(made?.data).toEqual({ cluster: site })
    }
    await fleet.write('b', 'three')
    await fleet.forget('a')
    await fleet.write('a', 'four')
    await simulation.advance(5000)
    expect(states(clusters)).toEqual(['b running'])
    expect(clusters.operator('a')).toBeUndefined()
    expect(events).toEqual(['a one', 'b two', 'b three'])
    await fleet.secret('a')
    await simulation.advance(5000)
    expect(events.slice(3).toSorted()).toEqual(['a four', 'a one'])
  }))

it('M2: a cluster with a declare that rejects has failed, and one with a declare that takes time runs after it', () =>
  inFleet(['a', 'b', 'c'], async fleet => {
    const { simulation } = fleet
    for (const name of ['a', 'b', 'c']) {
      await fleet.secret(name)
      await fleet.write(name, 'one')
    }
    const events: string[] = []
    let failures = 0
    const { clusters } = fleet.operate(async (operator, cluster) => {
      if (cluster.name === 'c') return new Promise<void>(() => {})
      await sleep(simulation.clock, 2000)
      if (cluster.name === 'a' && failures++ === 0) throw new Error('no declaration')
      noting(events)(operator, cluster)
    })
    await simulation.advance(2500)
    expect(states(clusters)).toEqual(['a failed', 'b running', 'c starting'])
    await simulation.advance(60_000)
    expect(states(clusters)).toEqual(['a running', 'b running', 'c starting'])
    expect(events.toSorted()).toEqual(['a one', 'b one'])
    expect(simulation.environment.errors.map(({ error, context }) => `${context.cluster}: ${error.message}`)).toEqual([
      'a: no declaration',
    ])
    // A declare that never ends keeps no cluster from going.
    await fleet.forget('c')
    await simulation.advance(5000)
    expect(states(clusters)).toEqual(['a running', 'b running'])
  }))

it('M1: objects of a cluster that was removed, or is down, are not gone; deleted ones are', () =>
  inFleet(['a'], async fleet => {
    const { simulation } = fleet
    const events: string[] = []
    await fleet.secret('a')
    await fleet.write('a', 'one')
    await fleet.write('a', 'two')
    const { clusters } = fleet.operate(noting(events))
    await simulation.advance(5000)
    const site = fleet.site('a')
    events.length = 0
    fleet.kill('a')
    await simulation.advance(300_000)
    expect(states(clusters)).toEqual(['a disconnected'])
    expect(clusters.report()[0]?.error).toBeInstanceOf(Error)
    await site.client.delete(configMaps, { namespace: 'default', name: 'one' })
    await simulation.advance(60_000)
    expect(events).toEqual([])
    site.network.controls.refuse(false)
    await simulation.advance(120_000)
    const isGone = (line: string): boolean => /gone|left/.test(line)
    expect(events.filter(isGone)).toEqual(['a one is gone'])
    expect(states(clusters)).toEqual(['a running'])
    expect(clusters.report()[0]?.error).toBeUndefined()
    await fleet.forget('a')
    await simulation.advance(60_000)
    expect(events.filter(isGone)).toEqual(['a one is gone'])
  }))

it('a failure of a cluster that is down is reported once in ten minutes', () =>
  inFleet(['a'], async fleet => {
    const { simulation } = fleet
    await fleet.secret('a')
    fleet.operate(noting([]))
    await simulation.advance(5000)
    const refused = () =>
      simulation.environment.errors
        .filter(({ error }) => error.message.includes('ECONNREFUSED'))
        .map(({ context }) => context)
    fleet.kill('a')
    await simulation.advance(500_000)
    expect(refused()).toEqual([{ phase: 'watch', resource: 'v1/configmaps', cluster: 'a' }])
    await simulation.advance(300_000)
    expect(refused()).toHaveLength(2)
  }))

it('M1: a removed cluster begins no run, and the one under way ends before its connections are closed', () =>
  inFleet(['a'], async fleet => {
    const { simulation } = fleet
    const events: string[] = []
    let finish = (): void => {}
    await fleet.secret('a')
    await fleet.write('a', 'one')
    const { clusters } = fleet.operate((operator, { name }) => {
      operator
        .controller('config')
        .for(watched)
        .reconcile(async ({ key, client }) => {
          events.push(`${name} ${key.name} begins`)
          await new Promise<void>(resolve => {
            finish = resolve
          })
          await client.patch(configMaps, key, { data: { seen: 'true' } })
          events.push(`${name} ${key.name} ends`)
        })
    })
    await simulation.advance(5000)
    await fleet.forget('a')
    await fleet.write('a', 'two')
    await simulation.advance(5000)
    expect(events).toEqual(['a one begins'])
    expect(states(clusters)).toEqual(['a stopping'])
    // The cluster comes back before the run has ended.
    await fleet.secret('a')
    await simulation.advance(1000)
    expect(events).toEqual(['a one begins'])
    finish()
    await simulation.advance(5000)
    expect(events.slice(0, 2)).toEqual(['a one begins', 'a one ends'])
    expect(events[2]).toMatch(/begins/)
    finish()
    await simulation.advance(1000)
    finish()
  }))

it('M1: another connection of a cluster ends its operator and starts another; an equal one changes nothing', () =>
  inFleet(['a', 'b'], async fleet => {
    const { simulation } = fleet
    const events: string[] = []
    await fleet.write('a', 'one')
    await fleet.write('b', 'two')
    await fleet.secret('a')
    const { clusters } = fleet.operate(noting(events))
    await simulation.advance(5000)
    const first = clusters.operator('a')
    await fleet.secret('a')
    await simulation.advance(5000)
    expect(clusters.operator('a')).toBe(first)
    await fleet.secret('a', { site: 'b' })
    await simulation.advance(5000)
    expect(clusters.operator('a')?.client.server).toBe('https://b.example.com/')
    expect(first?.state).toBe('stopped')
    expect(events).toEqual(['a one', 'a two'])
    expect(fleet.site('a').network.controls.connections()).toEqual([])
  }))

it('M1: a connection that can not be used is reported, and the cluster goes on with the former one', () =>
  inFleet(['a', 'b'], async fleet => {
    const { simulation } = fleet
    const { errors } = simulation.environment
    const events: string[] = []
    const { token } = fleet.site('a').server
    await fleet.secret('a')
    await fleet.secret('b', { user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: token } } })
    const { clusters } = fleet.operate(noting(events))
    await simulation.advance(5000)
    expect(states(clusters)).toEqual(['a running', 'b invalid'])
    await fleet.secret('a', { kubeconfig: `{"users": "${token}` })
    await simulation.advance(1000)
    await fleet.secret('a', { key: 'value' })
    await simulation.advance(1000)
    expect(states(clusters)).toEqual(['a running', 'b invalid'])
    expect(errors.map(({ error, context }) => [error.message, context.cluster])).toEqual([
      [
        'secret default/b, data.kubeconfig: the kubeconfig has exec, which runs programs of this machine: only a kubeconfig in a file of this machine may have it',
        'b',
      ],
      ['secret default/a, data.kubeconfig: the kubeconfig is neither YAML nor JSON', 'a'],
      ['secret default/a, data.kubeconfig: there is nothing', 'a'],
    ])
    expect(clusters.report().map(({ error }) => error?.message)).toEqual([
      errors[2]?.error.message,
      errors[0]?.error.message,
    ])
    expect(JSON.stringify([errors.map(({ error }) => [error.message, error.stack]), fleet.logged])).not.toContain(token)
    const former = clusters.operator('a')
    await fleet.write('a', 'one')
    await fleet.secret('a')
    await fleet.secret('b')
    await fleet.write('b', 'two')
    await simulation.advance(5000)
    expect(states(clusters)).toEqual(['a running', 'b running'])
    expect(clusters.report().map(({ error }) => error)).toEqual([undefined, undefined])
    expect(clusters.operator('a')).toBe(former)
    expect(events).toEqual(['a one', 'b two'])
  }))

it('M2: a cluster that is down, hangs or refuses its token delays no other, and is retried', () =>
  inFleet(['good', 'down', 'hangs', 'refuses'], async fleet => {
    const { simulation } = fleet
    const events: string[] = []
    fleet.site('down').network.controls.refuse(true)
    fleet.site('hangs').network.controls.hang(true)
    const revoked = { match: {}, effect: { kind: 'status', code: 401, reason: 'Unauthorized' } } as const
    const fault = await fleet.site('refuses').server.faults.add(revoked)
    for (const name of ['down', 'hangs', 'refuses', 'good']) await fleet.secret(name)
    const { operator, clusters } = fleet.operate(noting(events))
    await simulation.advance(2000)
    await fleet.write('good', 'one')
    await simulation.advance(500)
    expect(events).toEqual(['good one'])
    expect(operator.state).toBe('running')
    expect(states(clusters)).toEqual(['down starting', 'good running', 'hangs starting', 'refuses starting'])
    // For longer than the first state of a source may take.
    await simulation.advance(600_000)
    await fleet.write('good', 'two')
    await simulation.advance(500)
    expect(events).toEqual(['good one', 'good two'])
    expect(operator.state).toBe('running')
    const errors = new Set(simulation.environment.errors.map(({ context }) => context.cluster))
    expect([...errors].toSorted()).toEqual(['down', 'hangs', 'refuses'])
    fleet.site('down').network.controls.refuse(false)
    fleet.site('hangs').network.controls.hang(false)
    await fault.remove()
    for (const name of ['down', 'hangs']) {
      await fleet.site(name).client.create(configMaps, {
        metadata: { name: 'late', namespace: 'default', labels: { 'example.com/watched': '' } },
      })
    }
    await fleet.write('refuses', 'late')
    await simulation.advance(180_000)
    expect(states(clusters)).toEqual(['down running', 'good running', 'hangs running', 'refuses running'])
    expect(events.slice(2).toSorted()).toEqual(['down late', 'hangs late', 'refuses late'])
  }))

it('M2: an operator that fails, or a declaration that throws, is started again, and the others go on', () =>
  inFleet(['a', 'b'], async fleet => {
    const { simulation } = fleet
    const events: string[] = []
    let attempts = 0
    await fleet.secret('a')
    await fleet.secret('b')
    await fleet.write('a', 'one')
    await fleet.write('b', 'two')
    const { operator, clusters } = fleet.operate((operator, cluster) => {
      if (cluster.name === 'a' && attempts++ < 3) throw new Error('not yet')
      noting(events)(operator, cluster)
    })
    await simulation.advance(500)
    expect(states(clusters)).toEqual(['a failed', 'b running'])
    expect(clusters.report()[0]).toMatchObject({ error: { message: 'not yet' }, server: 'https://a.example.com/' })
    await simulation.advance(60_000)
    expect(attempts).toBe(4)
    expect(states(clusters)).toEqual(['a running', 'b running'])
    expect(events).toEqual(['b two', 'a one'])
    expect(operator.state).toBe('running')
  }))

it('logs once that a cluster has failed, however often its operator ends', () =>
  inFleet(['a'], async fleet => {
    const { simulation } = fleet
    let starts = 0
    await fleet.secret('a')
    fleet.operate(operator => {
      const start = async (): Promise<void> => {
        starts += 1
        await sleep(simulation.clock, 100)
        if (starts < 4) throw new Error('not yet')
      }
      operator.addComponent({ name: 'own', start, stop: async () => {} })
    })
    await simulation.advance(60_000)
    expect(starts).toBe(4)
    const logged = fleet.logged.map(([message]) => message).filter(message => message.startsWith('the cluster is'))
    expect(logged).toEqual(['the cluster is starting', 'the cluster is failed', 'the cluster is running'])
  }))

it('M2: a provider that fails is called again, and removes nothing', () =>
  inFleet(['a'], async fleet => {
    const { simulation } = fleet
    const events: string[] = []
    const found: (readonly string[])[] = []
    const provider: ClusterProvider = {
      provide: async ({ names, set }) => {
        found.push(names)
        if (found.length > 1) throw new Error('the inventory is down')
        set('a', { kubeconfig: kubeconfigOf('a', { token: fleet.site('a').server.token }) })
        throw new Error('the inventory is down')
      },
    }
    const { clusters } = fleet.operate(noting(events), { provider })
    await simulation.advance(60_000)
    expect(found.slice(0, 2)).toEqual([[], ['a']])
    expect(found.length).toBeLessThan(20)
    await fleet.write('a', 'one')
    await simulation.advance(500)
    expect(events).toEqual(['a one'])
    expect(states(clusters)).toEqual(['a running'])
    expect(simulation.environment.errors[0]?.error.message).toBe('the inventory is down')
  }))

it('X6: a name of a cluster that is no text is an error of the call', () =>
  inFleet([], async fleet => {
    const messages: string[] = []
    const provider: ClusterProvider = {
      provide: async ({ set, invalid }) => {
        for (const call of [() => set(5 as never, {} as never), () => invalid(5 as never, new Error('it is odd'))]) {
          try {
            call()
          } catch (error) {
            messages.push((error as Error).message)
          }
        }
      },
    }
    fleet.operate(noting([]), { provider })
    await fleet.simulation.advance(1000)
    expect(messages).toEqual([expect.stringContaining('clusters.set'), expect.stringContaining('clusters.invalid')])
  }))

it('M3: only the leader works with the clusters, and another one does after it', () =>
  inFleet(['a'], async fleet => {
    const { simulation } = fleet
    const events: string[] = []
    await fleet.secret('a')
    await fleet.write('a', 'one')
    const home = { leader: { namespace: 'default' } }
    const first = fleet.operate(noting(events), { home })
    await simulation.advance(5000)
    const second = fleet.operate(noting(events), { home })
    await simulation.advance(5000)
    expect(events).toEqual(['a one'])
    expect(states(second.clusters)).toEqual([])
    expect(await first.stop()).toBe('ended')
    await simulation.advance(5000)
    expect(states(first.clusters)).toEqual([])
    expect(states(second.clusters)).toEqual(['a running'])
    expect(events).toEqual(['a one', 'a one'])
  }))

it('M3: a leader that loses its lease sends nothing to any cluster from then on', () =>
  inFleet(['a'], async fleet => {
    const { simulation } = fleet
    const events: string[] = []
    await fleet.secret('a')
    await fleet.write('a', 'one')
    const first = fleet.operate(
      (operator, { name }) => {
        operator
          .controller('config')
          .for(watched)
          .reconcile(async ({ key, client, signal }) => {
            await new Promise(resolve => signal.addEventListener('abort', resolve))
            const sent = await client.patch(configMaps, key, { data: { late: 'true' } }).catch(error => error.code)
            events.push(`${name} ${sent}`)
          })
      },
      { home: { leader: { namespace: 'default' } } },
    )
    await simulation.advance(5000)
    await fleet.home.update(leases, {
      ...((await fleet.home.get(leases, { namespace: 'default', name: 'fleet' })) as Lease),
      spec: {
        holderIdentity: 'other',
        leaseDurationSeconds: 3600,
        renewTime: new Date(simulation.clock.now()).toISOString().replace('Z', '000Z'),
      },
    })
    await simulation.advance(60_000)
    expect(events).toEqual(['a LEADERSHIP_LOST'])
    expect((await fleet.site('a').client.get(configMaps, { namespace: 'default', name: 'one' }))?.data ?? {}).toEqual(
      {},
    )
    expect(await first.stop()).toMatchObject({ code: 'LEADERSHIP_LOST' })
  }))

it('X6: refuses options that are wrong or missing', () => {
  const clusters = (options: unknown) => () => new Clusters(options as never)
  const provider: ClusterProvider = { provide: async () => {} }
  const declare = (): void => {}
  expect(clusters({ declare })).toThrow('clusters.provider takes a provider, such as kubeconfigSecrets(…)')
  expect(clusters({ provider })).toThrow('clusters.declare takes a function')
  expect(clusters({ provider, declare, client: 5 })).toThrow('clusters.client takes')
  expect(clusters({ provider, declare, leader: true })).toThrow('clusters.leader')
})
