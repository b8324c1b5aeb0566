import { Client, defineResource, type ObjectMeta, type Resource } from '@wherry/client'
import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
import { configMaps } from '@wherry/client/resources/core'
import {
  type ControllerBuilder,
  Operator,
  type ReconcileContext,
  type ReconcileResult,
  Timer,
} from '@wherry/controller'
import { simulate, startApiServer } from '@wherry/testing'
import { define } from '../../bench/server/define.ts'

/** A status as the threads have it. */
export interface SubjectStatus {
  phase?: string
  lastProbeTime?: string
  renderedAt?: string
  conditions?: {
    type: string
    status: string
    reason: string
    lastProbeTime?: string
    lastTransitionTime?: string
  }[]
}

/** The primary object of each of these operators. */
export interface Subject {
  metadata: ObjectMeta
  spec?: object
  status?: SubjectStatus
}

/** A reconcile that was seen to write without an end, and how often. */
export interface HourReplay {
  readonly id: 'K9' | 'K10'
  readonly title: string
  /** Its address, or its name if that is all that is known. */
  readonly thread: string
  /** How often theirs ran or wrote. */
  readonly theirs: string
  readonly objects: number
  /** How many processes reconcile the same objects. @default 1 */
  readonly agents?: number | undefined
  /** Whether the reconcile asks to run again: its runs follow from that, and only its requests are counted. @default false */
  readonly looksAgain?: boolean | undefined
  /** As the controller's option. */
  readonly ignoreTimes?: readonly string[] | undefined
  /** Declares what else the controller watches. @default nothing */
  readonly declare?: ((builder: ControllerBuilder<Subject, 'namespaced'>) => unknown) | undefined
  reconcile(context: ReconcileContext<Subject, 'namespaced'>, now: string): Promise<ReconcileResult | undefined>
}

/** What an hour came to. */
export interface Hour {
  /** Requests other than lists and watches, as `7 patch configmaps`. */
  readonly requests: readonly string[]
  /** How many of these change something. */
  readonly writes: number
  /** How many of these read one object. */
  readonly reads: number
  /** Runs of the key that ran most, in one process. */
  readonly runsOfAKey: number
}

/** All keys run so often in an hour, as after a resync: a write that is no change shows. */
const TIMER_MS = 600_000

/** Runs of a key that {@link TIMER_MS} makes in an hour. */
export const TIMER_RUNS = 6

/** No write, no read, and at most two runs of a key that nothing asked for. */
export function meetsHour({ looksAgain }: HourReplay, { writes, reads, runsOfAKey }: Hour): boolean {
  return writes + reads === 0 && (looksAgain === true || runsOfAKey <= TIMER_RUNS + 2)
}

const subjects: Resource<Subject, 'namespaced'> = defineResource<Subject>({
  group: 'replays.example.com',
  version: 'v1',
  kind: 'Subject',
  plural: 'subjects',
  namespaced: true,
})

function definition(): CustomResourceDefinition {
  const text = { type: 'string' }
  const item = { type: text, status: text, reason: text, message: text, lastProbeTime: text, lastTransitionTime: text }
  const conditions = {
    ...{ type: 'array', items: { type: 'object', required: ['type'], properties: item } },
    ...{ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] },
  }
  const status = { type: 'object', properties: { phase: text, lastProbeTime: text, renderedAt: text, conditions } }
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' }, status } } }
  const names = { kind: 'Subject', listKind: 'SubjectList', plural: 'subjects', singular: 'subject' }
  const version = { name: 'v1', served: true, storage: true, schema, subresources: { status: {} } }
  const spec = { group: 'replays.example.com', scope: 'Namespaced', names, versions: [version] }
  return { metadata: { name: 'subjects.replays.example.com' }, spec } as CustomResourceDefinition
}

/** How much of a replay is played. */
export interface HourOptions {
  readonly objects: number
  /** How long the hour is. */
  readonly minutes: number
}

/** Plays a minute in which the operators come to rest, and then an hour in which nothing changes but the time. */
export async function playHour(replay: HourReplay, { objects, minutes }: HourOptions): Promise<Hour> {
  const simulation = simulate(7)
  const { clock, random, environment } = simulation
  const server = await startApiServer({ clusterObjects: false, sockets: false, clock, random: random.fork('server') })
  const transport = server.transport({ random: random.fork('network') })
  const { url, token } = server
  const clientOf = (fieldManager: string): Client => new Client({ url, token, transport, environment, fieldManager })
  return simulation.run(async () => {
    await using _ = server
    await using client = clientOf('user')
    await define(client, definition())
    await client.create(configMaps, { metadata: { name: 'console', namespace: 'default' }, data: { phase: 'Up' } })
    for (let i = 0; i < objects; i++)
      await client.create(subjects, { metadata: { name: `s-${i}`, namespace: 'default' } })
    const agents = Array.from({ length: replay.agents ?? 1 }, (_, i) => startAgent(replay, clientOf(`agent-${i}`)))
    await simulation.advance(60_000)
    await server.resetStats()
    for (const { runs } of agents) runs.clear()
    for (let part = 0; part < 6; part++) {
      await simulation.advance(minutes * 10_000)
      // As a server does that is restarted, or a balancer: the watches go on by another connection.
      await server.endWatches()
    }
    const sent = sentIn((await server.stats()).byVerb)
    for (const { end } of agents) await end()
    const count = (isRead: boolean): number =>
      sent.filter(({ verb }) => (verb === 'get') === isRead).reduce((sum, { requests }) => sum + requests, 0)
    return {
      requests: sent.map(({ requests, verb, what }) => `${requests} ${verb} ${what}`),
      writes: count(false),
      reads: count(true),
      runsOfAKey: Math.max(0, ...agents.flatMap(({ runs }) => [...runs.values()])),
    }
  })
}

type Stats = Readonly<Record<string, Readonly<Record<string, { readonly requests: number }>>>>

interface Sent {
  readonly verb: string
  readonly what: string
  readonly requests: number
}

function sentIn(byVerb: Stats): Sent[] {
  return Object.entries(byVerb)
    .filter(([verb]) => !['watch', 'list'].includes(verb))
    .flatMap(([verb, of]) => Object.entries(of).map(([what, { requests }]) => ({ verb, what, requests })))
    .filter(({ requests }) => requests > 0)
}

interface Agent {
  /** How often each key ran. */
  readonly runs: Map<string, number>
  end(): Promise<void>
}

/** One process with the operator. */
function startAgent({ ignoreTimes, declare, reconcile }: HourReplay, client: Client): Agent {
  const runs = new Map<string, number>()
  const operator = new Operator({ name: client.fieldManager, client })
  const builder = operator.controller('subject', ignoreTimes ? { ignoreTimes } : {}).for(subjects)
  declare?.(builder)
  builder.from(new Timer({ everyMs: TIMER_MS }))
  builder.reconcile(async context => {
    runs.set(context.key.name, (runs.get(context.key.name) ?? 0) + 1)
    return reconcile(context, context.now().toISOString())
  })
  const running = operator.run({ signals: false })
  return {
    runs,
    end: async (): Promise<void> => {
      await operator.close()
      await running
      await client.close()
    },
  }
}
