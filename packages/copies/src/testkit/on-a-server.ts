import { Client, type KubernetesObject } from '@wherry/client'
import { fromUrl } from '@wherry/client/internal'
import { type ConfigMap, configMaps, namespaces } from '@wherry/client/resources/core'
import type { ApiServer } from '@wherry/testing'
import { vi } from 'vitest'
import { copySetLabel } from '../marks.ts'
import type { CopiesOptions } from '../options.ts'
import { type Running, runCopies } from './cluster.ts'
import { ObservedTransport } from './observed-transport.ts'

/** Waits on real time until `holds` throws nothing any more. */
export const until = <T>(holds: () => T | Promise<T>): Promise<T> => vi.waitFor(holds, { interval: 10 })

/** A server over real sockets, and an operator that keeps copies in it. */
export interface OnAServer {
  /** The test's own client. */
  readonly writer: Client
  /** The transport of the operator's client. */
  readonly transport: ObservedTransport
  /** The errors that the operator reported. */
  readonly reported: Error[]
  /** Starts copies, after it has stopped the copies of the last call. */
  begin<P, T extends KubernetesObject>(options: CopiesOptions<P, T>): Promise<Running<P, T>>
  /** The same, and waits until they have settled. */
  start<P, T extends KubernetesObject>(options: CopiesOptions<P, T>): Promise<Running<P, T>>
  stop(): Promise<void>
}

/** Runs a test with clients of a server. */
export async function onAServer(
  { url, ca, token }: ApiServer,
  test: (server: OnAServer) => Promise<void>,
): Promise<void> {
  const reported: Error[] = []
  const transport = new ObservedTransport(fromUrl(url, { ca, token }).credentials)
  const client = new Client({ url, ca, token, transport, environment: { onError: error => reported.push(error) } })
  const writer = new Client({ url, ca, token })
  let running: { stop(): Promise<void> } | undefined
  const stop = async (): Promise<void> => {
    await running?.stop()
    running = undefined
  }
  const begin: OnAServer['begin'] = async options => {
    await stop()
    const one = runCopies(client, options)
    running = one
    return one
  }
  const start: OnAServer['start'] = async options => {
    const one = await begin(options)
    await one.settled()
    return one
  }
  try {
    await test({ writer, transport, reported, begin, start, stop })
  } finally {
    await stop()
    await client.close()
    await writer.close()
  }
}

/** Creates the namespaces of a test: one for its sources, and `count` for their copies. Returns the names of the namespaces for copies. */
export async function fill(client: Client, name: string, count: number): Promise<string[]> {
  await client.create(namespaces, { metadata: { name } })
  const names = Array.from({ length: count }, (_, i) => `${name}-${i}`)
  for (const each of names) await client.create(namespaces, { metadata: { name: each, labels: { [name]: 'x' } } })
  return names
}

/** Copies of ConfigMaps into those namespaces. */
export const settingsOf = (name: string): CopiesOptions<ConfigMap, ConfigMap> => ({
  name,
  source: configMaps.within({ namespaces: [name], labels: { source: 'x' } }),
  copies: configMaps,
  targets: name,
  build: ({ data }) => ({ metadata: { labels: { app: 'arcade' } }, data: data ?? {} }),
})

/** The source `s0`, `s1`, … of {@link settingsOf}. */
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
