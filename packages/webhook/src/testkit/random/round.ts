import { type Client, isApiError } from '@wherry/client'
import { chance, choose, integer } from '@wherry/testing'
import { expect } from 'vitest'
import type { Webhooks } from '../../webhooks.ts'
import { type Game, games } from '../games.ts'
import { type Call, declare } from './declare.ts'
import { type Attempt, expectedOf } from './oracle.ts'
import { namespaceNames, type Plan, planned } from './plan.ts'

/** What a round runs on. */
export interface Scene {
  readonly client: Client
  readonly webhooks: Pick<Webhooks, 'webhook'>
  readonly random: () => number
  /** Whether handlers may hang, which takes most of a second where time is real. */
  readonly hangs: boolean
  /** Gives the server the configurations. Resolves when it calls the webhooks. */
  start(): Promise<void>
}

/** Random webhooks are declared and called about random requests. The oracle says which calls there are, and which objects are stored or refused. */
export async function round({ client, webhooks, random, hangs, start }: Scene): Promise<void> {
  const plans = planned(random, hangs)
  const calls: Call[] = []
  for (const plan of plans) declare(webhooks, plan, calls)
  await start()
  const known: { readonly namespace: string; readonly name: string }[] = []
  for (let step = 0; step < 12; step++) {
    const key = chance(random, 0.3) ? undefined : choose(random, [undefined, ...known])
    const old = key && ((await client.get(games, key)) as Game | undefined)
    const attempt = attempted(random, old, `game-${step}`)
    const isDryRun = chance(random, 0.2)
    const expected = expectedOf(plans, attempt)
    calls.length = 0
    const said = await sent(client, attempt, isDryRun)
    const where = JSON.stringify({ plans, attempt, isDryRun, said }, null, 1)
    // A real server that read an older state from its cache asks about an update once more.
    const version = attempt.old?.metadata?.resourceVersion
    const made = (type: Plan['type']): string[] =>
      calls.filter(one => one.type === type && one.version === version).map(({ call }) => call)
    expect(made('mutating'), where).toEqual(expected.mutating)
    expect(made('validating').sort(), where).toEqual(expected.validating)
    if (expected.refusals.length === 0) expect(said, where).toBe('done')
    else
      expect(
        expected.refusals.some(one => said.includes(one)),
        where,
      ).toBe(true)
    const { namespace = '', name = '' } = (attempt.object ?? attempt.old)?.metadata ?? {}
    const isStored = said === 'done' && !isDryRun
    const stored = await client.get(games, { namespace, name })
    expect(content(stored), where).toEqual(content(isStored ? expected.object : attempt.old))
    if (isStored && attempt.operation === 'CREATE') known.push({ namespace, name })
  }
}

function attempted(random: () => number, old: Game | undefined, name: string): Attempt {
  const namespace = old?.metadata?.namespace ?? choose(random, namespaceNames)
  if (old !== undefined && chance(random, 0.15))
    return { operation: 'DELETE', target: 'object', namespace, object: undefined, old }
  if (old === undefined) {
    const object = { metadata: { name, namespace, labels: labels(random) }, spec: spec(random) }
    return { operation: 'CREATE', target: 'object', namespace, object, old }
  }
  const object = structuredClone(old)
  if (chance(random, 0.25)) {
    object.status = { phase: choose(random, ['open', 'over']) }
    return { operation: 'UPDATE', target: 'status', namespace, object, old }
  }
  const metadata = { ...object.metadata }
  if (chance(random, 0.3)) metadata.labels = labels(random)
  if (chance(random, 0.3)) metadata.annotations = { note: `${integer(random, 0, 9)}` }
  const changed: Game = { ...object, metadata, ...(chance(random, 0.5) && { spec: spec(random) }) }
  if (chance(random, 0.15)) delete changed.spec
  return { operation: 'UPDATE', target: 'object', namespace, object: changed, old }
}

function labels(random: () => number): Record<string, string> {
  return { game: 'x', ...(chance(random, 0.5) && { tier: choose(random, ['paid', 'free']) }) }
}

function spec(random: () => number): NonNullable<Game['spec']> {
  const tags = Array.from({ length: integer(random, 0, 3) }, () => choose(random, ['z', 'k', 'a', 'm']))
  return {
    ...(chance(random, 0.8) && { players: integer(random, 0, 6) }),
    ...(chance(random, 0.5) && { tags }),
    ...(chance(random, 0.5) && { title: 'chess' }),
  }
}

async function sent(client: Client, { operation, target, object, old }: Attempt, isDryRun: boolean): Promise<string> {
  const options = isDryRun ? { dryRun: true as const } : {}
  try {
    if (operation === 'DELETE') {
      const { namespace = '', name = '' } = old?.metadata ?? {}
      await client.delete(games, { namespace, name }, options)
    } else if (operation === 'CREATE') await client.create(games, object as never, options)
    else if (target === 'object') await client.update(games, object as never, options)
    else {
      const { namespace = '', name = '' } = object?.metadata ?? {}
      await client.subresource(games, { namespace, name }, 'status').update(object as never, options)
    }
    return 'done'
  } catch (error) {
    if (!isApiError(error)) throw error
    return error.message
  }
}

/** The compared part of an object. */
function content(game: Game | undefined): unknown {
  if (game === undefined) return undefined
  const { metadata, spec: own, status } = game
  return { labels: metadata?.labels, annotations: metadata?.annotations, spec: own, phase: status?.phase }
}
