import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import type { Client } from '@wherry/client'
import { pods } from '@wherry/client/resources/core'
import type { PlayOptions } from '@wherry/testing'
import { tenants } from '../../../examples/ported/tenants/kinds.ts'
import { podsThatRun, tenantsAndWorkspaces } from './objects.ts'

/** A ported example, and how it is measured. */
export interface Example {
  readonly name: 'supervisor' | 'tenants'
  /** Where its code is. */
  readonly files: readonly string[]
  /** What there is at full size. */
  readonly title: string
  objects(): Iterable<object>
  readonly play?: PlayOptions | undefined
  /** Whether its peer goes on writing though nothing changes. */
  readonly peerNeverRests: boolean
  /** What the first watch that a fault hits is of. */
  readonly resource: string
  /** What happens to an object that `make` makes. */
  readonly reaction: string
  /** Makes what the program has to react to. */
  make(client: Client, name: string): Promise<unknown>
  hasReacted(client: Client, name: string): Promise<boolean>
}

const namespace = 'default'
const ported = join(import.meta.dirname, '../../../examples/ported')

export const examples: readonly Example[] = [
  {
    name: 'supervisor',
    files: ['operator.ts', 'main.ts'].map(file => join(ported, 'supervisor', file)),
    title: '5,000 Pods that run',
    objects: podsThatRun,
    peerNeverRests: false,
    resource: 'pods',
    reaction: 'a Pod that fails is gone',
    make: async (client, name) => {
      const spec = { containers: [{ name: 'task', image: 'task' }] }
      await client.create(pods, { metadata: { namespace, name, labels: { app: 'task-run' } }, spec })
      await client.status.patch(pods, { namespace, name }, { status: { phase: 'Failed' } })
    },
    hasReacted: async (client, name) => (await client.get(pods, { namespace, name })) === undefined,
  },
  {
    name: 'tenants',
    files: ['operator.ts', 'kinds.ts', 'main.ts'].map(file => join(ported, 'tenants', file)),
    title: '500 tenants and 2,000 workspaces',
    objects: tenantsAndWorkspaces,
    play: { pods: true, persistentVolumeClaims: true },
    peerNeverRests: true,
    resource: 'tenants.tenancy.example.com',
    reaction: 'a new tenant is ready',
    make: (client, name) => client.create(tenants, { metadata: { name }, spec: { group: 'team', quota: {} } }),
    hasReacted: async (client, name) => (await client.get(tenants, { name }))?.status?.phase === 'Ready',
  },
]

/** The program on client-node that behaves as the original does. */
export function peerOf(name: Example['name']): string {
  return join(import.meta.dirname, `${name}.ts`)
}

/** The program of the example. */
export function oursOf(name: Example['name']): string {
  return join(ported, name, 'main.ts')
}

/** How long an object may wait for its reaction. */
const limitMs = 60_000

/** Makes an object. Resolves with the seconds until the program has reacted to it; Infinity if it has not within a minute. */
export async function secondsToReact(example: Example, client: Client, name: string): Promise<number> {
  const began = performance.now()
  await example.make(client, name)
  while (performance.now() - began < limitMs) {
    if (await example.hasReacted(client, name)) return (performance.now() - began) / 1000
    await after(20)
  }
  return Number.POSITIVE_INFINITY
}
