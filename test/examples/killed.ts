import type { Client, KubernetesObject, View } from '@wherry/client'
import { leases } from '@wherry/client/resources/coordination'
import { type AccessAttributes, startApiServer } from '@wherry/testing'
import { expect, vi } from 'vitest'
import type { ExampleName } from '../../tools/runner/examples.ts'
import { Manifest, userOf } from '../../tools/runner/manifest.ts'
import type { Program } from '../../tools/runner/program.ts'
import { play } from './play.ts'

/** What an example is to do, by the state that it leads to. */
export interface Scenario {
  readonly name: ExampleName
  /** Arguments of the program. @default none */
  readonly args?: readonly string[]
  /** Makes the objects that are there before the program begins. */
  prepare?(client: Client): Promise<void>
  /** Plays users next to the program, which may be killed and started again meanwhile. */
  users?(client: Client): Promise<void>
  /** What must be the same in the end. */
  readonly views: readonly View[]
  /** Whether the program has nothing left to do. */
  isDone(client: Client): Promise<boolean>
}

/** How a run went. */
export interface Ran {
  /** Of the program, without events and leases. */
  readonly writes: number
  /** Whether the program was killed. */
  readonly isKilled: boolean
  /** The resources that it watched: since it was started again, if it was. */
  readonly watched: ReadonlySet<string>
}

/** What a killed run is compared with. */
export interface KillAt {
  /** How many writes the server gets before. */
  readonly write: number
  /** What a run watches that is not killed. The program that is started again has seen all there is once it watches that. */
  readonly watched: ReadonlySet<string>
}

const writing = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])
const volatile = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'managedFields',
  'generation',
  'observedGeneration',
  'lastTransitionTime',
])

/**
 * Runs a scenario to its end. With `killAt`, the program is killed by SIGKILL as soon as the server gets so many writes of it: the server does the
 * last one, and no client gets the answer. Then the program is started again.
 *
 * @param end called with the objects at the end, again and again until it does not throw
 */
export async function runScenario(
  scenario: Scenario,
  killAt: KillAt | undefined,
  end: (state: unknown) => void,
): Promise<Ran> {
  const { name, args = [], views } = scenario
  const { user } = userOf(new Manifest(new URL(`../../examples/${name}`, import.meta.url).pathname).workload)
  let program: Program | undefined
  let writes = 0
  let killed: Promise<void> | undefined
  let patched: string | undefined
  const watched = new Set<string>()
  const authorization = (asked: AccessAttributes): boolean => {
    if (asked.user.name !== user) return true
    // Watches of waits for a kind, and for a lease that another has, do not happen in each run.
    if (asked.verb === 'watch' && !['apiservices', 'leases'].includes(asked.resource)) watched.add(asked.resource)
    // To create an object by an apply is asked for as a patch, and as a create right after that.
    const object = [asked.group, asked.resource, asked.namespace, asked.name].join()
    const isSame = asked.verb === 'create' && object === patched
    patched = asked.verb === 'patch' ? object : undefined
    if (isCounted(asked) && !isSame) writes++
    if (writes === killAt?.write) killed ??= program?.kill()
    return true
  }
  await play(name, tokens => startApiServer({ tokens, authorization }), {
    body: async ({ client, start }) => {
      await scenario.prepare?.(client)
      program = start(...args)
      const acting = Promise.resolve(scenario.users?.(client))
      const restart = async (): Promise<void> => {
        if (killed === undefined) return
        await killed
        if (isRestarted) return
        isRestarted = true
        watched.clear()
        // As if the time of the lease were over.
        for (const { metadata } of (await client.list(leases)).items) await client.delete(leases, metadata as never)
        program = start(...args)
      }
      let isRestarted = false
      const done = vi.waitFor(async () => {
        await restart()
        expect(await scenario.isDone(client)).toBe(true)
        end(await stateOf(client, views))
      })
      // Where a user is refused, nothing more is waited for.
      await Promise.all([acting, done])
      // A program that is started again leaves right objects as they are.
      await vi.waitFor(async () => {
        await restart()
        if (isRestarted) expect(new Set([...watched, ...(killAt?.watched ?? [])])).toEqual(watched)
        program?.check()
        end(await stateOf(client, views))
      })
    },
  })
  return { writes, isKilled: killed !== undefined, watched }
}

function isCounted({ verb, resource }: AccessAttributes): boolean {
  return writing.has(verb) && !['events', 'leases'].includes(resource) && !resource.startsWith('self')
}

/** All objects, without fields that differ in each run. Objects are named by their kind and key where their uid stands. */
async function stateOf(client: Client, views: readonly View[]): Promise<unknown> {
  const lists = await Promise.all(
    views.map(async view => {
      const { items } = await client.list(view as View<KubernetesObject>)
      const keyOf = ({ metadata: { namespace = '', name } = {} }: KubernetesObject): string => `${namespace}/${name}`
      // The server's own authority is another in each run.
      const others = items.filter(({ metadata }) => metadata?.name !== 'kube-root-ca.crt')
      return others.map(object => [`${view.resource.kind} ${keyOf(object)}`, object] as const)
    }),
  )
  const all = lists.flat().sort(([a], [b]) => (a < b ? -1 : 1))
  let text = JSON.stringify(Object.fromEntries(all))
  for (const [key, { metadata }] of all) text = text.replaceAll(`${metadata?.uid}`, `uid of ${key}`)
  return JSON.parse(text, (key, value: unknown) => (volatile.has(key) ? undefined : value))
}
