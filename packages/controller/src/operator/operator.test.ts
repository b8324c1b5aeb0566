import { setTimeout as sleepForReal } from 'node:timers/promises'
import type { Client } from '@wherry/client'
import { deployments } from '@wherry/client/resources/apps'
import { configMaps, pods, secrets } from '@wherry/client/resources/core'
import { clusterRoles } from '@wherry/client/resources/rbac'
import { describe, expect, it, vi } from 'vitest'
import { TerminalError } from '../controller/errors.ts'
import { generationChanged } from '../predicates/changed.ts'
import type { Read } from '../reads/read.ts'
import { inArcade } from './testkit/arcade.ts'
import { at, game, games, secret } from './testkit/games.ts'

it('says once that Node has known faults', async () => {
  const versions = { ...process.versions, node: '22.19.0' }
  vi.stubGlobal('process', Object.create(process, { versions: { value: versions } }))
  await inArcade(async ({ forGames, start, simulation }) => {
    forGames().reconcile(async () => {})
    await start('chess', 'go')
    const said = simulation.environment.warnings.map(({ message }) => message)
    expect(said).toEqual([expect.stringContaining('Node 22.19.0 has known faults')])
  }).finally(() => vi.unstubAllGlobals())
})

describe('an operator', () => {
  it('says so if it has no controller', () =>
    inArcade(async ({ operator, run, simulation }) => {
      run()
      await simulation.advance(1000)
      expect(simulation.environment.warnings.map(({ message }) => message)).toEqual([
        'the operator arcade has no controller, so it reconciles nothing: declare one with operator.controller(…)',
      ])
      await operator.close()
    }))

  it('C2, C4: of a resource without namespaces: keys, owned objects and deleted ones', () =>
    inArcade(async ({ operator, client, start, after }) => {
      const seen: unknown[] = []
      const made = configMaps.within({ namespaces: ['default'], labels: { made: 'yes' } })
      operator
        .controller('roles')
        .for(clusterRoles.within({ labels: { copy: 'yes' } }))
        .owns(made.metadata())
        .reconcile(async ({ key, object, apply, read }) => {
          seen.push(key)
          await read.get(configMaps, at('other'))
          await apply(made, { metadata: { name: key.name }, data: { rules: `${object.rules?.length}` } })
        })
        .onGone(({ key }) => {
          seen.push({ gone: key })
        })
      await client.create(clusterRoles, { metadata: { name: 'system:mine', labels: { copy: 'yes' } }, rules: [] })
      await client.create(clusterRoles, { metadata: { name: 'mine', labels: { copy: 'yes' } }, rules: [] })
      await client.delete(clusterRoles, { name: 'system:mine' })
      await start()
      const config = await client.get(configMaps, at('mine'))
      expect(config).toMatchObject({
        data: { rules: '0' },
        metadata: { ownerReferences: [{ kind: 'ClusterRole', name: 'mine' }] },
      })
      await after(client.patch(configMaps, at('mine'), { data: { rules: 'x' } }))
      expect((await client.get(configMaps, at('mine')))?.data).toEqual({ rules: '0' })
      expect(operator.explain('roles', 'mine')).toMatchObject({ key: 'mine', exists: true })
      await after(client.delete(clusterRoles, { name: 'mine' }))
      expect(seen.at(-1)).toEqual({ gone: { name: 'mine' } })
      expect(new Set(seen.slice(0, -1).map(key => JSON.stringify(key)))).toEqual(new Set(['{"name":"mine"}']))
    }))

  it('C11: lets go of what its last run did not read', () =>
    inArcade(async ({ operator, client, forGames, start, after }) => {
      forGames().reconcile(async ({ object, read }) => {
        if (object.spec.secret !== 'none') await read.get(secrets, { name: object.spec.secret })
      })
      await start(game('chess', 'red'))
      const objects = (): unknown =>
        operator.explain('game', 'default/chess').reads.map(read => (read.type === 'object' ? read.object : ''))
      expect(objects()).toEqual(['default/red'])
      await after(client.patch(games, at('chess'), { spec: { secret: 'blue' } }))
      expect(objects()).toEqual(['default/blue'])
      await after(client.patch(games, at('chess'), { spec: { secret: 'none' } }))
      expect(objects()).toEqual([])
    }))

  it('C12: keeps what its last success has read where it fails', () =>
    inArcade(async ({ client, simulation, forGames, start, after }) => {
      let fails = false
      let runs = 0
      forGames().reconcile(async ({ object, read }) => {
        runs += 1
        await read.get(secrets, { name: object.spec.secret })
        if (fails) throw new TerminalError('not now')
      })
      await start(game('chess', 'red'))
      fails = true
      await after(client.patch(games, at('chess'), { spec: { secret: 'blue' } }))
      expect(runs).toBe(2)
      await after(client.create(secrets, secret('red', 'x')))
      expect(runs).toBe(3)
      fails = false
      await after(client.create(secrets, secret('blue', 'x')))
      expect(runs).toBe(4)
      await after(client.delete(secrets, at('red')))
      expect(runs).toBe(4)
      expect(simulation.environment.errors).toHaveLength(2)
    }))

  it('settles only when it has received what was written, however late that comes', () =>
    inArcade(async ({ operator, client, server, forGames, start, after }) => {
      const seen: unknown[] = []
      forGames().reconcile(async ({ object, read }) => {
        const found = await read.get(secrets, { name: object.spec.secret })
        seen.push(found?.data?.value)
      })
      for (const resource of ['secrets', 'games.arcade.example.com']) {
        await server.faults.add({ match: { verb: 'watch', resource }, effect: { kind: 'slow', bytesPerSecond: 300 } })
      }
      await client.create(secrets, secret('key', '1'))
      await start('chess')
      await after(client.patch(secrets, at('key'), { stringData: { value: '2' } }))
      expect(seen.at(-1)).toBe(btoa('2'))
      await after(client.delete(secrets, at('key')))
      expect(seen.at(-1)).toBeUndefined()
      const runs = seen.length
      await after(client.create(games, game('go')))
      expect(seen).toHaveLength(runs + 1)
      await after(client.delete(games, at('go')))
      expect(operator.explain('game', 'default/go').exists).toBe(false)
    }))

  it('C16: explain says what a run waits for, and not that it has read nothing', () =>
    inArcade(async ({ operator, client, forGames, start }) => {
      const reported: string[] = []
      const notify = (): void => void reported.push(`${operator.explain('game', 'default/chess')}`)
      const waits = `  waits for read.get of ${secrets.key} key`
      forGames().reconcile(async ({ read }) => {
        const reading = read.get(secrets, { name: 'key' })
        notify()
        expect(operator.explain('game', 'default/chess').waitsFor).toHaveLength(1)
        await reading
        notify()
      })
      await client.create(secrets, secret('key', '1'))
      await start('chess')
      notify()
      expect(reported.map(text => text.split('\n').includes(waits))).toEqual([true, false, false])
      expect(reported[0]).not.toContain('has read nothing')
      expect(reported[2]).toContain('depends on')
    }))

  it('C10: a reconcile sees what it wrote, its own status among it', () =>
    inArcade(async ({ forGames, start }) => {
      const seen: unknown[] = []
      forGames()
        .withPredicates(generationChanged)
        .reconcile(async ({ client: own, key, read }) => {
          await own.status.patch(games, key, { status: { phase: 'On' } })
          seen.push((await read.getUntracked(games, key))?.status?.phase)
          await own.create(configMaps, { metadata: at('made'), data: { n: '1' } })
          seen.push((await read.getUntracked(configMaps, { name: 'made' }))?.data?.n)
          await own.patch(configMaps, at('made'), { data: { n: '2' } })
          seen.push((await read.getUntracked(configMaps, { name: 'made' }))?.data?.n)
          await own.delete(configMaps, at('made'))
          seen.push(await read.getUntracked(configMaps, { name: 'made' }))
        })
      await start('chess')
      expect(seen).toEqual(['On', '1', '2', undefined])
    }))

  it('C10: what one controller writes, the reads of another see', () =>
    inArcade(async ({ client, forGames, start }) => {
      const seen: unknown[] = []
      const handed = Promise.withResolvers<void>()
      forGames('writer').reconcile(async ({ client: own }) => {
        await own.patch(configMaps, at('shared'), { data: { n: '2' } })
        handed.resolve()
      })
      forGames('reader')
        .caches(configMaps)
        .reconcile(async ({ read }) => {
          await read.get(configMaps, { name: 'shared' })
          await handed.promise
          seen.push((await read.get(configMaps, { name: 'shared' }))?.data?.n)
        })
      await client.create(configMaps, { metadata: at('shared'), data: { n: '1' } })
      await start('chess')
      expect(new Set(seen)).toEqual(new Set(['2']))
    }))

  it('explains what there is, and says what there is not', () =>
    inArcade(async ({ operator, forGames, start }) => {
      forGames().reconcile(() => {})
      expect(() => operator.explain('game', 'default/chess')).toThrow(
        expect.objectContaining({ code: 'OPERATOR_USED' }),
      )
      await start()
      expect(operator.explain('game', 'default/chess')).toMatchObject({ exists: false, lastRun: undefined })
      expect(() => operator.explain('toys', 'default/chess')).toThrow('there is no controller toys; there are game')
      expect(() => operator.explain('game', '../chess')).toThrow(expect.objectContaining({ code: 'INVALID_NAME' }))
      expect(`${operator.report()}`).toContain('controller/game')
    }))
})

describe('what a reconcile writes in other ways', () => {
  const phases = games.project('phases', ({ status }) => ({ phase: status?.phase }))

  it.each<[string, (own: Client) => Promise<unknown>, (read: Read) => Promise<unknown>, unknown]>([
    [
      'a status through a projection',
      own => own.status.patch(phases, at('chess'), { status: { phase: 'On' } }),
      async read => (await read.get(games, at('chess')))?.status?.phase,
      'On',
    ],
    [
      'a scale',
      own => own.scale.patch(deployments, at('web'), { spec: { replicas: 5 } }),
      async read => (await read.get(deployments, at('web')))?.spec?.replicas,
      5,
    ],
    [
      'the delete of a collection',
      own => own.deleteCollection(configMaps.within({ namespaces: ['default'], labels: { app: 'web' } })),
      async read => [
        await read.get(configMaps, at('goes')),
        (await read.get(configMaps, at('stays')))?.metadata?.deletionTimestamp !== undefined,
      ],
      [undefined, true],
    ],
    [
      'an eviction',
      own => own.evict(pods, at('web')),
      async read => {
        const pod = await read.get(pods, at('web'))
        return pod === undefined || pod.metadata?.deletionTimestamp !== undefined
      },
      true,
    ],
    [
      'a patch by a guarded client of its own',
      own => own.guardedBy(() => {}).client.patch(configMaps, at('stays'), { data: { n: '2' } }),
      async read => (await read.get(configMaps, at('stays')))?.data?.n,
      '2',
    ],
  ])('C10: it sees, as %s', (_, write, look, expected) =>
    inArcade(async ({ client, server, simulation, forGames, start }) => {
      const seen: unknown[] = []
      forGames().reconcile(async ({ client: own, read }) => {
        if (seen.length > 0) return
        await look(read)
        await write(own)
        seen.push(await look(read))
      })
      const containers = [{ name: 'web', image: 'web' }]
      const labels = { app: 'web' }
      const template = { metadata: { labels }, spec: { containers } }
      await client.create(deployments, {
        metadata: at('web'),
        spec: { replicas: 1, selector: { matchLabels: labels }, template },
      })
      await client.create(pods, { metadata: at('web'), spec: { containers } })
      await client.create(configMaps, { metadata: { ...at('goes'), labels } })
      await client.create(configMaps, { metadata: { ...at('stays'), labels, finalizers: ['example.com/held'] } })
      await client.create(games, game('chess'))
      await server.faults.add({ match: { verb: 'watch' }, effect: { kind: 'slow', bytesPerSecond: 300 } })
      await start()
      expect(seen).toEqual([expected])
      expect(simulation.environment.errors).toEqual([])
    }),
  )
})

describe('settled', () => {
  it('C16: waits for polled objects', () =>
    inArcade(
      { poll: [{ resource: secrets, pollMs: 3_600_000 }] },
      async ({ operator, client, server, forGames, start, after }) => {
        const seen: unknown[] = []
        forGames().reconcile(async ({ read }) => {
          seen.push((await read.get(secrets, { name: 'key' }))?.data?.value)
        })
        const effect = { kind: 'status', code: 403, reason: 'Forbidden' } as const
        await server.faults.add({ match: { verb: 'watch', resource: 'secrets' }, effect })
        await start('chess')
        expect(operator.explain('game', at('chess')).reads).toMatchObject([{ served: 'polled' }])
        await after(client.create(secrets, secret('key', '1')))
        expect(seen).toEqual([undefined, btoa('1')])
      },
    ))

  it('goes on asking a server that fails now and then, and says so when it does not end', () =>
    inArcade(async ({ operator, server, forGames, start }) => {
      forGames().reconcile(async ({ read }) => void (await read.get(secrets, { name: 'key' })))
      await start('chess')
      for (const verb of ['list', 'get'] as const) {
        await server.faults.add({ match: { verb }, times: 2, effect: { kind: 'status', code: 500 } })
        await operator.settled()
      }
      await server.faults.add({ match: { verb: 'list' }, effect: { kind: 'status', code: 500 } })
      await expect(operator.settled()).rejects.toMatchObject({
        code: 'NOT_SETTLED',
        pending: [expect.stringContaining('the server can not be asked: GET /apis/arcade.example.com/v1/games: 500')],
      })
    }))

  it('says that the server has not answered, if the wait ends while it is asked', () =>
    inArcade(async ({ operator, server, forGames, start }) => {
      forGames().reconcile(() => {})
      await start('chess')
      await server.faults.add({ match: { verb: 'list' }, effect: { kind: 'hang' } })
      await expect(operator.settled({ timeoutMs: 5000 })).rejects.toMatchObject({
        pending: ['the server has not answered whether the caches have all objects'],
      })
    }))

  it('`sleep` waits on the clock of the operator, and ends with the run', () =>
    inArcade(async ({ forGames, simulation, client, run, end }) => {
      const seen: unknown[] = []
      forGames().reconcile(async ({ sleep, now }) => {
        const began = now().getTime()
        await sleep(60_000)
        seen.push(now().getTime() - began)
        await sleep(3_600_000).catch(error => seen.push(error.message))
      })
      await client.create(games, game('chess'))
      run()
      await simulation.advance(61_000)
      await end()
      expect(seen).toEqual([60_000, 'enough'])
    }))

  it('A9: a `sleep` that is not awaited fails its run', () =>
    inArcade(async ({ forGames, simulation, client, run }) => {
      forGames().reconcile(({ sleep }) => {
        void sleep(1000)
      })
      await client.create(games, game('chess'))
      run()
      await simulation.advance(100)
      const [first] = simulation.environment.errors
      expect(first?.error).toMatchObject({ code: 'NOT_AWAITED', message: expect.stringContaining('sleep 1000 ms') })
    }))

  it('a simulation that does not settle says that a reconcile waits for a timer of Node’s', () =>
    inArcade(async ({ operator, client, forGames }) => {
      const stop = new AbortController()
      const sleep = (): Promise<void> => sleepForReal(600_000, undefined, { signal: stop.signal })
      // More than the program that runs the tests has.
      forGames().reconcile(
        () => Promise.all(Array.from({ length: 100 }, sleep)).then(undefined, () => {}) as Promise<void>,
      )
      await client.create(games, game('chess', 'red'))
      void operator.run({ signals: false })
      await expect(operator.settled()).rejects.toMatchObject({
        code: 'NOT_SETTLED',
        pending: expect.arrayContaining([
          expect.stringContaining('default/chess is being reconciled'),
          expect.stringMatching(
            /^outside the simulation, for which simulated time does not wait: 1\d\d × timer of Node’s/,
          ),
        ]),
      })
      stop.abort()
    }))

  it.each([
    [new Error('boom'), 'boom'],
    ['boom', 'something that is no Error was thrown: "boom"'],
  ])('names what the reconcile threw, and has it as its cause: %s', (thrown, message) =>
    inArcade(async ({ operator, client, run, forGames }) => {
      forGames().reconcile(() => {
        throw thrown
      })
      await client.create(games, game('chess'))
      run()
      await expect(operator.settled({ timeoutMs: 1000 })).rejects.toMatchObject({
        pending: [`game: default/chess waits to be tried again: ${message}`],
        cause: { message },
      })
    }),
  )

  it('waits for informers that reads are served from and no controller declares', () =>
    inArcade(async ({ operator, client, server, forGames, start, after }) => {
      const seen: unknown[] = []
      forGames().reconcile(async ({ read }) => {
        seen.push((await read.get(secrets, { name: 'key' }))?.data?.value)
      })
      await operator.cache.informer(secrets).whenSynced()
      await start('chess')
      expect(operator.explain('game', at('chess')).reads).toMatchObject([{ served: 'informer' }])
      const effect = { kind: 'slow', bytesPerSecond: 100 } as const
      await server.faults.add({ match: { verb: 'watch', resource: 'secrets' }, effect })
      await server.endWatches('secrets')
      await after(client.create(secrets, secret('key', '1')))
      expect(seen).toEqual([undefined, btoa('1')])
    }))

  it('C5: rejects as the run does where a controller of the leader could not start', () =>
    inArcade({ leader: at('game-operator') }, async ({ operator, client, run, forGames }) => {
      const connect = (): never => {
        throw new Error('no connection')
      }
      forGames()
        .from({ name: 'bad', connect }, () => undefined)
        .reconcile(() => {})
      await client.create(games, game('chess'))
      run()
      await expect(operator.settled()).rejects.toThrow('no connection')
    }))
})

it('explains a key when the run is over', () =>
  inArcade(async ({ operator, end, forGames, start }) => {
    forGames().reconcile(() => {})
    await start('chess')
    await end()
    expect(operator.explain('game', at('chess')).lastRun).toMatchObject({ outcome: 'success' })
  }))
