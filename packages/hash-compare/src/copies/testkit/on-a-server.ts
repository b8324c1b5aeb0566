import type { Client } from '@wherry/client'
import { type ConfigMap, configMaps, namespaces } from '@wherry/client/resources/core'
import { vi } from 'vitest'
import { parts } from '../../parts/parts.ts'
import { specPart } from '../../parts/spec-part.ts'
import { copySetLabel } from '../marks.ts'
import type { CopyReconcilerOptions } from '../options.ts'

export type Options<P, T extends object> = Omit<CopyReconcilerOptions<P, T>, 'client' | 'cache'>

/** Waits on real time until nothing is thrown any more. */
export const until = <T>(holds: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(holds, { timeout: 30_000, interval: 10 })

/** Makes namespaces of one test's own: one for its sources, and so many for their copies, which are given. */
export async function fill(client: Client, name: string, count: number): Promise<string[]> {
  await client.create(namespaces, { metadata: { name } })
  const names = Array.from({ length: count }, (_, i) => `${name}-${i}`)
  for (const each of names) await client.create(namespaces, { metadata: { name: each, labels: { [name]: 'x' } } })
  return names
}

/** Copies of ConfigMaps into those namespaces. */
export const settings = (name: string): Options<ConfigMap, ConfigMap> => ({
  name,
  source: configMaps.within({ namespaces: [name], labels: { source: 'x' } }),
  copies: configMaps,
  targets: name,
  build: ({ data }) => ({ metadata: { labels: { app: 'arcade' } }, data: data ?? {} }),
  parts: parts({ spec: specPart({ labels: key => key !== 'note' }) }),
})

/** The source `s0`, `s1`, … of {@link settings}. */
export const sourceOf = (namespace: string, i: number): ConfigMap => ({
  metadata: { namespace, name: `s${i}`, labels: { source: 'x' } },
  data: { n: `${i}` },
})

export async function makeSources(client: Client, namespace: string, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await client.create(configMaps, sourceOf(namespace, i))
}

export async function copiesOf(client: Client, set: string): Promise<ConfigMap[]> {
  return (await client.list(configMaps.within({ labels: { [copySetLabel]: set } }))).items
}
