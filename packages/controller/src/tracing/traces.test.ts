import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { configMaps } from '@wherry/client/resources/core'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { traceAnnotation, traceParentOf } from '../objects/traceparent.ts'
import { Operator } from '../operator/operator.ts'
import { inArcade } from '../operator/testkit/arcade.ts'
import { at, game, games } from '../operator/testkit/games.ts'
import { openTelemetryTraces, type TraceOptions, type Traces } from './traces.ts'

const exporter = new InMemorySpanExporter()

beforeEach(() => {
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
})

afterEach(() => {
  trace.disable()
  context.disable()
  exporter.reset()
})

const traced = async (options?: TraceOptions) => ({ traces: await openTelemetryTraces(options) })
const roots = () => exporter.getFinishedSpans().filter(({ parentSpanContext }) => parentSpanContext === undefined)
const parentOf = (span: { spanContext(): { traceId: string; spanId: string } } | undefined) => {
  const { traceId, spanId } = span?.spanContext() ?? {}
  return `00-${traceId}-${spanId}-01`
}

it('C25: a run that writes is a trace, with its calls, and what it applies says which', async () =>
  inArcade(await traced(), async ({ client, forGames, start, simulation }) => {
    forGames()
      .owns(configMaps)
      .reconcile(async ({ apply, sleep, object }) => {
        await sleep(20)
        await apply(configMaps, { metadata: { name: 'board' }, data: { title: object.spec.title ?? '' } })
        trace.getTracer('user').startSpan('of the user').end()
      })
    await client.create(games, game('chess'))
    const began = simulation.clock.now()
    await start()
    const [root] = roots()
    expect(roots()).toHaveLength(1)
    expect(root?.name).toBe('reconcile game')
    expect(root?.attributes).toMatchObject({
      ...{
        'wherry.controller': 'game',
        'wherry.key': 'default/chess',
        'wherry.attempt': 1,
        'wherry.outcome': 'success',
      },
      ...{ 'wherry.cause.source': 'for', 'wherry.cause.change': 'initial', 'wherry.cause.object': 'default/chess' },
    })
    const [seconds = 0, nanoseconds = 0] = root?.startTime ?? []
    expect(seconds * 1000 + nanoseconds / 1e6).toBeGreaterThanOrEqual(began)
    const children = exporter.getFinishedSpans().filter(one => one !== root)
    expect(children.map(({ name }) => name).toSorted()).toEqual([
      'apply of /v1/configmaps board',
      'of the user',
      'sleep 20 ms',
    ])
    for (const child of children) expect(child.parentSpanContext?.spanId).toBe(root?.spanContext().spanId)
    const sleeping = children.find(({ name }) => name === 'sleep 20 ms')
    expect((sleeping?.duration[1] ?? 0) / 1e6).toBeCloseTo(20, 0)
    const board = await client.get(configMaps, at('board'))
    expect(board?.metadata?.annotations?.[traceAnnotation]).toBe(parentOf(root))
  }))

it('C25: an object that differs in its trace alone is as desired, also for the next process, with traces and without', async () => {
  const { traces } = await traced({ everyRun: true })
  await inArcade({ traces }, async ({ client, operator, start, end, server, simulation }) => {
    let runs = 0
    const declare = (of: Operator): void =>
      void of
        .controller('game')
        .for(games)
        .owns(configMaps)
        .reconcile(async ({ apply }) => {
          runs += 1
          await apply(configMaps, { metadata: { name: 'board', annotations: { mine: 'yes' } }, data: { title: 'a' } })
        })
    declare(operator)
    await client.create(games, game('chess'))
    await start()
    expect((await client.get(configMaps, at('board')))?.metadata?.annotations?.[traceAnnotation]).toBeDefined()
    await end()
    await server.resetStats()
    for (const next of [new Operator({ name: 'arcade', client, traces }), new Operator({ name: 'arcade', client })]) {
      declare(next)
      const before = runs
      const running = next.run({ signals: false })
      await next.settled()
      expect(runs).toBe(before + 1)
      const annotations = { [traceAnnotation]: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }
      await client.patch(configMaps, at('board'), { metadata: { annotations } })
      await client.patch(games, at('chess'), { spec: { title: `${before}` } })
      await next.settled()
      expect(runs).toBeGreaterThan(before + 1)
      await next.close()
      await running.catch(() => {})
    }
    await simulation.clock.turn()
    const { byVerb } = await server.stats()
    const writes = ['create', 'update', 'patch', 'delete'].map(verb => byVerb[verb]?.configmaps?.requests ?? 0)
    // The two above.
    expect(writes).toEqual([0, 0, 2, 0])
  })
})

it('C25: a run is linked to the trace that wrote its object', async () =>
  inArcade(await traced({ everyRun: true }), async ({ client, forGames, start }) => {
    forGames().reconcile(async () => {})
    const writer = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
    const { metadata, ...rest } = game('chess')
    await client.create(games, { ...rest, metadata: { ...metadata, annotations: { [traceAnnotation]: writer } } })
    await start()
    expect(roots()[0]?.links.map(({ context }) => parentOf({ spanContext: () => context }))).toContain(writer)
  }))

it('C25: a run that wrote nothing, has not failed and was not slow is no trace, unless each is wanted', async () => {
  const work = async (options: TraceOptions): Promise<readonly (string | undefined)[]> => {
    exporter.reset()
    await inArcade(await traced(options), async ({ client, forGames, run, simulation }) => {
      forGames('quiet').reconcile(async ({ read }) => void (await read.get(configMaps, { name: 'none' })))
      forGames('slow').reconcile(async ({ sleep }) => sleep(150))
      let failures = 0
      forGames('failing').reconcile(async () => {
        if (failures++ === 0) throw new Error('it broke')
      })
      await client.create(games, game('chess'))
      run()
      await simulation.advance(2000)
    })
    return roots()
      .map(({ name }) => name.replace('reconcile ', ''))
      .toSorted()
  }
  expect(await work({})).toEqual(['failing'])
  const [failed] = roots()
  expect(failed?.status).toEqual({ code: 2, message: 'it broke' })
  expect(failed?.events.map(({ name }) => name)).toEqual(['exception'])
  expect(await work({ slowMs: 100 })).toEqual(['failing', 'slow'])
  expect(await work({ everyRun: true })).toEqual(['failing', 'failing', 'quiet', 'slow'])
})

it('C25: an annotation that names no trace is none', () => {
  const of = (text: unknown) => traceParentOf({ metadata: { annotations: { [traceAnnotation]: text } } })
  expect(of(`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`)).toEqual({
    traceId: 'a'.repeat(32),
    spanId: 'b'.repeat(16),
    traceFlags: 1,
  })
  for (const text of [
    undefined,
    1,
    '',
    '00',
    `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`,
    `00-${'A'.repeat(32)}-${'b'.repeat(16)}-01`,
    'x'.repeat(1e6),
  ])
    expect(of(text)).toBeUndefined()
  for (const object of [undefined, {}, { metadata: {} }, { metadata: { annotations: null } }])
    expect(traceParentOf(object)).toBeUndefined()
})

it('C25: refuses options that it does not have', async () => {
  await expect(openTelemetryTraces({ slowMs: -1 })).rejects.toThrow('traces.slowMs')
  await expect(openTelemetryTraces({ every: true } as never)).rejects.toThrow('every')
})

it('X9: a tracer that throws is reported, and the runs go on', async () => {
  const broken = (what: string) => (): never => {
    throw new Error(what)
  }
  const traces: Traces = {
    begin: ({ controller }) =>
      controller === 'untraced'
        ? broken('no begin')()
        : { parent: '', within: fn => fn(), call: broken('no call'), end: broken('no end') },
  }
  await inArcade({ traces }, async ({ client, forGames, start, after, simulation }) => {
    const runs: string[] = []
    for (const name of ['untraced', 'traced']) {
      forGames(name).reconcile(async ({ read }) => {
        await read.get(configMaps, { name: 'none' })
        runs.push(name)
      })
    }
    await start('chess')
    await after(client.patch(games, at('chess'), { spec: { title: 'Go' } }))
    expect(runs.toSorted()).toEqual(['traced', 'traced', 'untraced', 'untraced'])
    const errors = simulation.environment.errors.map(({ error, context }) => `${context.phase}: ${error.message}`)
    expect([...new Set(errors)].toSorted()).toEqual([
      'trace traced: no call',
      'trace traced: no end',
      'trace untraced: no begin',
    ])
  })
})
