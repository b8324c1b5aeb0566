import { configMaps, jsonBytes, loadData, pods } from '@wherry/data'
import type { Metrics } from '../../harness/bench.ts'

/** Objects of one kind, as a program has them that read them off the wire. */
interface Kind {
  readonly name: 'configmaps' | 'pods' | 'csvs'
  readonly objects: readonly object[]
  readonly bytes: number
}

const WARM_UP_MS = 200
const MEASURE_MS = 400

function kinds(count: number): Kind[] {
  const kind = (name: Kind['name'], made: Iterable<object>): Kind => {
    const objects = [...made].map(object => JSON.parse(JSON.stringify(object)) as object)
    return { name, objects, bytes: objects.reduce((sum, object) => sum + jsonBytes(object), 0) }
  }
  return [
    kind('configmaps', configMaps({ count })),
    kind('pods', pods({ count })),
    kind('csvs', loadData().clusterServiceVersions.map(withoutIcon)),
  ]
}

/** An icon is one string of up to 860 KB, which all hash alike fast: it would hide all else. */
function withoutIcon(csv: object): object {
  const { icon: _, ...spec } = (csv as { readonly spec: Readonly<Record<string, unknown>> }).spec
  return { ...csv, spec }
}

/**
 * Digests all objects of each kind, over and over, for 0.4 s of processor time after 0.2 s of warm-up. `mb_per_s` is over as many
 * bytes of each kind. A megabyte is one of the object's compact JSON, whatever the subject makes of it.
 */
export function measureHash(count: number, digest: (object: object) => string): Metrics {
  const figures: Record<string, number> = {}
  let secondsForAll = 0
  const all = kinds(count)
  for (const { name, objects, bytes } of all) {
    repeat(objects, digest, WARM_UP_MS)
    const secondsPerRound = repeat(objects, digest, MEASURE_MS)
    const megabytesPerSecond = bytes / 1e6 / secondsPerRound
    figures[`${name}_mb_per_s`] = megabytesPerSecond
    secondsForAll += 1 / megabytesPerSecond
    if (name === 'configmaps') figures.small_us = (secondsPerRound / objects.length) * 1e6
  }
  figures.mb_per_s = all.length / secondsForAll
  return figures
}

/**
 * Seconds of processor time for one round over all objects, in the mean: hashing waits for nothing, and what else the machine
 * does then counts less.
 */
function repeat(objects: readonly object[], digest: (object: object) => string, ms: number): number {
  let rounds = 0
  let characters = 0
  const begin = usedMs()
  let used = 0
  for (; used < ms; used = usedMs() - begin) {
    for (const object of objects) characters += digest(object).length
    rounds++
  }
  if (characters === 0) throw new Error('no digest has a character')
  return used / 1000 / rounds
}

function usedMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
