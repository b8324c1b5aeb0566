import type { Client } from '@wherry/client'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { type StorageVersionMigration, storageVersionMigrations } from '@wherry/client/resources/storagemigration'
import { vi } from 'vitest'
import { definition, gamesV2 } from './cluster.ts'

/** Waits for a migration that has not ended. Returns its name. */
export async function asked(client: Client): Promise<string> {
  const names = async (): Promise<string[]> => {
    const { items } = await client.list(storageVersionMigrations)
    return items.filter(({ status }) => ended(status) === undefined).map(({ metadata }) => metadata?.name ?? '')
  }
  return vi.waitFor(async () => {
    const [name] = await names()
    if (name === undefined) throw new Error('no migration is asked for')
    return name
  })
}

/** Plays kube-controller-manager, which takes a migration up. */
export async function takeUp(client: Client, name: string): Promise<void> {
  const { resourceVersion } = await client.list(gamesV2)
  await client.status.patch(storageVersionMigrations, { name }, { status: { resourceVersion } })
}

/** Plays kube-controller-manager, which ends a migration with this condition. */
export async function end(client: Client, name: string, type: 'Succeeded' | 'Failed', message = ''): Promise<void> {
  const condition = {
    type,
    status: 'True',
    reason: `Storage${type}`,
    message,
    lastTransitionTime: new Date().toISOString(),
  }
  await client.status.patch(storageVersionMigrations, { name }, { status: { conditions: [condition] } })
}

/** Rewrites the games, and shortens the stored versions after that, as kube-controller-manager does. */
export async function succeed(client: Client, name: string): Promise<void> {
  for (const { metadata } of (await client.list(gamesV2)).items) {
    const { name = '', namespace = '', uid, resourceVersion } = metadata ?? {}
    await client.patch(gamesV2, { name, namespace }, { metadata: { uid, resourceVersion } })
  }
  await end(client, name, 'Succeeded')
  await client.status.patch(customResourceDefinitions, { name: definition }, { status: { storedVersions: ['v2'] } })
}

function ended(status: StorageVersionMigration['status']): string | undefined {
  return status?.conditions?.find(({ type }) => type === 'Succeeded' || type === 'Failed')?.type
}
