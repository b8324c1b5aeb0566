import { type ReadTarget, targetsOf } from '@wherry/client/internal'
import { configMaps } from '@wherry/client/resources/core'
import { afterEach } from 'vitest'
import type { ReflectorOptions } from '../reflector/options.ts'
import { Reflector } from '../reflector/reflector.ts'
import { RecordingWriter } from './recording-writer.ts'
import { type SimulatedCluster, type SimulatedOptions, simulatedCluster } from './served.ts'

/** ConfigMaps of one namespace. */
export const view: ReturnType<typeof configMaps.within> = configMaps.within({ namespaces: ['ns'] })

export const target: ReadTarget = targetsOf(view)[0] as ReadTarget

export interface SomeConfigMap {
  readonly metadata: { readonly name: string; readonly namespace: string }
  readonly data: Record<string, string>
}

export function configMap(name: string, data: Record<string, string> = {}): SomeConfigMap {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'ns' }, data } as SomeConfigMap
}

/** A reflector of {@link view} in a cluster in memory, and all that it reports. */
export interface ReflectorBench extends SimulatedCluster {
  readonly reflector: Reflector
  readonly recording: RecordingWriter
  /** The states that it reported. */
  readonly states: string[]
  /** What it reported to its owner, apart from states. */
  readonly said: string[]
  /** Makes, changes and deletes objects: `+a`, `~a`, `-a`. */
  write(...changes: string[]): Promise<void>
  /** Starts the reflector, and waits until it watches. */
  watch(): Promise<void>
}

type MakeBench = (
  seed: number,
  options?: Partial<ReflectorOptions>,
  cluster?: SimulatedOptions,
) => Promise<ReflectorBench>

/**
 * Makes benches for the tests of a file. Each is prepared by `ready`, and closed after its test. Call it at the top of the
 * file.
 */
export function reflectorBenches(ready?: (made: ReflectorBench) => Promise<unknown>): MakeBench {
  const open: ReflectorBench[] = []
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close()
  })
  return async (...args) => {
    const made = await reflectorBench(...args)
    open.push(made)
    await ready?.(made)
    return made
  }
}

const reflectorBench: MakeBench = async (seed, options = {}, cluster = {}) => {
  const served = await simulatedCluster(seed, cluster)
  const { simulation, writer } = served
  const states: string[] = []
  const said: string[] = []
  const recording = new RecordingWriter()
  const reflector = new Reflector({
    client: served.client,
    target,
    on: {
      state: state => states.push(state),
      synced: () => said.push('synced'),
      missing: () => said.push('missing'),
      error: error => said.push(error.name),
    },
    ...options,
  })
  reflector.add(recording)
  let changes = 0
  return {
    ...served,
    reflector,
    recording,
    states,
    said,
    async write(...lines) {
      await simulation.run(async () => {
        for (const line of lines) {
          const key = { name: line.slice(1), namespace: 'ns' }
          changes += 1
          if (line.startsWith('+')) await writer.create(view, configMap(key.name))
          else if (line.startsWith('~')) await writer.patch(view, key, { data: { change: `${changes}` } })
          else await writer.delete(view, key)
        }
      })
    },
    async watch() {
      reflector.start()
      await simulation.runUntil(() => reflector.state === 'watching')
    },
    async close() {
      await simulation.run(() => reflector.stop())
      await served.close()
    },
  }
}
