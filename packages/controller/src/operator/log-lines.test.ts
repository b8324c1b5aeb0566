import { Client, type LogFields, type LogLevel } from '@wherry/client'
import { expect, it } from 'vitest'
import { TerminalError } from '../controller/errors.ts'
import { startCluster } from '../testkit.fixture.ts'
import { Operator } from './operator.ts'
import type { OperatorSettings } from './options.ts'
import { defineGames, game, games } from './testkit/games.ts'

interface Line extends LogFields {
  readonly level: LogLevel
  readonly message: string
}

/** An operator on simulated time that knows games only where `isDefined`, and all that it logs. */
async function logging(
  isDefined: boolean,
  body: (parts: {
    readonly operator: Operator
    readonly client: Client
    readonly lines: Line[]
    run(): void
    end(): Promise<unknown>
    advance(ms: number): Promise<void>
  }) => Promise<void>,
  settings: OperatorSettings = {},
): Promise<void> {
  const cluster = await startCluster()
  const { server, simulation } = cluster
  const lines: Line[] = []
  const log = (level: LogLevel, message: string, fields?: LogFields): void =>
    void lines.push({ level, message, ...fields })
  const transport = server.transport({ random: simulation.random.fork('logging') })
  const client = new Client({
    url: server.url,
    token: server.token,
    transport,
    environment: { ...simulation.environment, log },
  })
  const operator = new Operator({ ...settings, name: 'game-operator', client })
  const stop = new AbortController()
  let running: Promise<unknown> = Promise.resolve()
  try {
    await simulation.run(async () => {
      if (isDefined) await defineGames(cluster.client)
      await body({
        operator,
        client,
        lines,
        run: () => {
          running = operator.run({ signal: stop.signal, signals: false }).catch(error => error)
        },
        end: () => {
          stop.abort(new Error('enough'))
          return running
        },
        advance: ms => simulation.advance(ms),
      })
    })
  } finally {
    await simulation.run(async () => {
      stop.abort(new Error('enough'))
      await running
      await operator.close()
      await client.close()
    })
    await cluster.close()
  }
}

it('an operator says when it starts and for what, leads, has synced, stops, and has ended', () =>
  logging(
    true,
    async ({ operator, client, lines, run, end }) => {
      operator
        .controller('game')
        .for(games)
        .reconcile(() => {})
      await client.create(games, game('chess'))
      run()
      await operator.settled()
      await end()
      const reported = lines.filter(({ level }) => level === 'info')
      expect(reported).toEqual([
        {
          level: 'info',
          message: 'the operator starts',
          operator: 'game-operator',
          wherry: expect.stringMatching(/^\d+\.\d+\.\d+/),
          cluster: client.server,
          controllers: ['game'],
          watches: [games.key],
        },
        { level: 'info', message: 'the lease has a new holder', lease: 'default/game-operator', identity: 'us' },
        { level: 'info', message: 'holds the lease', lease: 'default/game-operator', identity: 'us' },
        { level: 'info', message: 'has synced, and reconciles', controller: 'game' },
        { level: 'info', message: 'the operator stops', operator: 'game-operator', reason: 'enough' },
        { level: 'info', message: 'the term by lease default/game-operator is over', lease: 'default/game-operator' },
        { level: 'info', message: 'nobody holds the lease', lease: 'default/game-operator', identity: '' },
        { level: 'info', message: 'released', lease: 'default/game-operator' },
        { level: 'info', message: 'the operator has ended', operator: 'game-operator' },
      ])
    },
    { leader: { namespace: 'default', identity: 'us' } },
  ))

it('each run has a line at level debug, which says what began it and how it ended', () =>
  logging(true, async ({ operator, client, lines, run, end }) => {
    operator
      .controller('game')
      .for(games)
      .reconcile(({ object }) => {
        if (object.spec.title === 'bad') throw new TerminalError('bad')
      })
    const { metadata } = await client.create(games, game('chess'))
    run()
    await operator.settled()
    const changed = await client.patch(games, { name: 'chess', namespace: 'default' }, { spec: { title: 'bad' } })
    await operator.settled()
    await end()
    const about = { level: 'debug', message: 'reconciled', controller: 'game', key: 'default/chess', attempt: 1 }
    const object = { source: 'for', view: games.key, object: 'default/chess', tookMs: expect.any(Number) }
    const [from, to] = [metadata.resourceVersion, changed.metadata.resourceVersion]
    expect(lines.filter(({ message }) => message === 'reconciled')).toEqual([
      { ...about, ...object, change: 'initial', outcome: 'success', from: undefined, to: from },
      { ...about, ...object, change: 'updated', outcome: 'terminal', from, to },
    ])
  }))

it('C3: a resource that the server does not know is named within 5 s, with how to mend it, by the log, by settled() and by run()', () =>
  logging(false, async ({ operator, lines, run, end, advance }) => {
    operator
      .controller('game', { syncTimeoutMs: 10_000 })
      .for(games)
      .reconcile(() => {})
    run()
    await advance(5_000)
    const way = "install its CustomResourceDefinition, or set whenUnknown: 'wait'"
    const source = expect.stringContaining(way)
    expect(lines).toContainEqual({
      level: 'warn',
      message: 'waits for a first state',
      controller: 'game',
      sources: [source],
    })
    await expect(operator.settled({ timeoutMs: 100 })).rejects.toMatchObject({
      code: 'NOT_SETTLED',
      pending: [expect.stringMatching(/^game is starting: it waits for the first state of for .*arcade.*games/)],
    })
    await advance(6_000)
    expect(await end()).toMatchObject({
      code: 'SOURCE_NOT_SYNCED',
      sources: [`for ${games.key}`],
      message: expect.stringContaining(way),
    })
  }))
