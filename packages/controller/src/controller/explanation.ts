import type { InformerReport } from '@wherry/dynamic-cache'
import type { WorkQueue } from '@wherry/work-queue'
import type { Loop } from '../loops/loop.ts'
import { thrownText } from '../objects/thrown-text.ts'
import type { Changes } from '../predicates/changes.ts'
import type { Dependency, ObjectDependency } from '../reads/dependency.ts'
import type { Cause } from '../sources/cause.ts'
import type { KeyState, LastRun } from './key-state.ts'
import { viewText } from './view-text.ts'

/** A view that a controller watches, for all keys. */
export interface WatchedView {
  /** The view's key. */
  readonly view: string
  readonly informer: InformerReport | undefined
}

/** The shard that a controller runs in, and whether a key is of that shard. */
export interface KeyShard {
  /** `undefined` if the shards share the objects by their uids. */
  readonly ring: string | undefined
  /** In the ring, or `INDEX-of-COUNT`. */
  readonly name: string
  /** `releases`: the ring has asked the shard to release the object, and the shard begins no run of it. */
  readonly has: 'yes' | 'no' | 'releases'
}

/** Why a key runs, and what it depends on. `toString` gives readable text. */
export interface Explanation {
  readonly controller: string
  /** `namespace/name` */
  readonly key: string
  /** Whether the object exists. */
  readonly exists: boolean
  /** `delayed`: the key runs after a time, or earlier if something changes. */
  readonly queue: 'idle' | 'delayed' | 'queued' | 'running'
  /** The remaining wait, in milliseconds; `undefined` if the key does not wait for a time. */
  readonly dueInMs: number | undefined
  /** The cause of the next run. */
  readonly pending: Cause | undefined
  /** Failures since the last success. */
  readonly failures: number
  readonly lastRun: LastRun | undefined
  /** The loop that the key is in, if it does not come to rest. */
  readonly loop: Loop | undefined
  /** The shard that this process is; `undefined` if the controller is not sharded. */
  readonly shard: KeyShard | undefined
  /** The reads and writes that the current run waits for: `read.get of /v1/secrets db`. */
  readonly waitsFor: readonly string[]
  /** The reads of the last successful run, and of the last failed run after it (rules C11, C12). */
  readonly reads: readonly Dependency[]
  /** The views that the controller declares. */
  readonly watched: readonly WatchedView[]
  toString(): string
}

type Fields = Omit<Explanation, 'toString'>

export function explanationOf(
  about: Pick<Fields, 'controller' | 'key' | 'exists' | 'waitsFor' | 'loop' | 'shard' | 'reads' | 'watched'>,
  state: KeyState | undefined,
  queue: WorkQueue,
  debounced?: { readonly cause: Cause; readonly dueInMs: number },
): Explanation {
  const { key } = about
  const isRunning = queue.unfinished().some(one => one.key === key)
  const dues = [queue.dueInMs(key), debounced?.dueInMs].filter(due => due !== undefined)
  const dueInMs = dues.length > 0 ? Math.min(...dues) : undefined
  const fields: Fields = {
    ...about,
    queue: isRunning ? 'running' : waiting(dueInMs),
    dueInMs: dueInMs === 0 ? undefined : dueInMs,
    pending: state?.pending ?? debounced?.cause,
    failures: queue.failures(key),
    lastRun: state?.lastRun,
  }
  return Object.defineProperty({ ...fields }, 'toString', { value: () => textOf(fields) }) as Explanation
}

function waiting(dueInMs: number | undefined): Explanation['queue'] {
  if (dueInMs === undefined) return 'idle'
  return dueInMs > 0 ? 'delayed' : 'queued'
}

function textOf(fields: Fields): string {
  const { controller, key, exists, queue, dueInMs, pending, failures, lastRun, loop, shard, waitsFor, reads, watched } =
    fields
  const lines = [`${controller} ${key}: ${exists ? 'exists' : 'is not in the view (it is gone, or it left)'}, ${queue}`]
  if (shard !== undefined) lines.push(`  ${shardText(shard)}`)
  if (pending !== undefined) lines.push(`  to run${inTime(dueInMs)} because ${causeText(pending)}`)
  if (failures > 0) lines.push(`  ${failures} failures since the last success`)
  if (lastRun === undefined) lines.push('  has not run')
  else {
    const { startedAt, tookMs, attempt, outcome, cause, moreCauses, error } = lastRun
    const took = tookMs === undefined ? 'still running' : `${outcome} in ${tookMs.toFixed(1)} ms`
    lines.push(`  last run at ${new Date(startedAt).toISOString()}, attempt ${attempt}: ${took}`)
    if (cause !== undefined)
      lines.push(`    because ${causeText(cause)}${moreCauses > 0 ? `, and ${moreCauses} more` : ''}`)
    if (outcome === 'waiting') lines.push(`    it ${(error as Error).message}`)
    else if (error !== undefined) lines.push(`    it threw ${thrownText(error)}`)
  }
  if (loop !== undefined) lines.push(`  ${loop}`)
  for (const call of waitsFor) lines.push(`  waits for ${call}`)
  if (reads.length > 0) lines.push('  depends on')
  else if (waitsFor.length === 0) lines.push('  has read nothing that is tracked')
  for (const read of reads) lines.push(`    ${dependencyText(read)}`)
  lines.push('  watched for the controller')
  for (const { view, informer } of watched) {
    const held = informer === undefined ? 'not cached' : `${objectCount(informer.objects)}, ${informer.state}`
    lines.push(`    ${viewText(view)}: ${held}`)
  }
  return lines.join('\n')
}

function shardText({ ring, name, has }: KeyShard): string {
  if (ring === undefined)
    return `${has === 'yes' ? 'of this shard' : 'does not run here: it is not of this shard'}, ${name}`
  if (has === 'yes') return `assigned to this shard, ${name} of the ring ${ring}`
  if (has === 'releases') return `this shard, ${name} of the ring ${ring}, is to release it: it begins no run`
  return `does not run here: the ring ${ring} has not assigned it to this shard, ${name}`
}

function inTime(dueInMs: number | undefined): string {
  return dueInMs === undefined ? '' : ` in ${(dueInMs / 1000).toFixed(1)} s`
}

function causeText({ source, change, view, object, from, to, changes }: Cause): string {
  if (object === undefined) return change === 'told' ? `of ${source}` : `${source}: ${change}`
  const versions =
    from === undefined && to === undefined ? '' : ` (resourceVersion ${from ?? 'none'} → ${to ?? 'none'})`
  return `${source}: ${object} of ${viewText(view ?? '')} ${change}${versions}${changesText(changes)}`
}

function changesText(changes: Changes | undefined): string {
  if (changes === undefined || changes.paths.length === 0) return ''
  const { paths, managers } = changes
  const some = paths.length > 5 ? [...paths.slice(0, 5), `${paths.length - 5} more`] : paths
  return `: ${some.join(', ')}${managers.length > 0 ? `, by ${managers.join(', ')}` : ''}`
}

function dependencyText(read: Dependency): string {
  const view = viewText(read.view)
  if (read.type === 'selection') {
    const where = [read.namespace, read.labels].filter(part => part !== undefined && part !== '').join(', ')
    const part = read.tracks === 'selected' ? '; of each, what the read selected' : ''
    return `${view}${where === '' ? '' : ` (${where})`}: ${objectCount(read.objects)}, by an informer${part}`
  }
  const state = read.present ? `resourceVersion ${read.resourceVersion ?? 'unknown'}` : 'absent'
  const part = read.tracks === 'selected' ? '; of it, what the read selected' : ''
  return `${read.object} of ${view}: ${state}, ${servedText(read)}${part}`
}

function servedText({ served, pollMs }: ObjectDependency): string {
  if (served === 'informer') return 'by an informer'
  if (served === 'single') return 'by a watch of its own'
  return served === 'escalated' ? 'by a shared watch of metadata' : `asked for every ${(pollMs ?? 0) / 1000} s`
}

function objectCount(count: number): string {
  return `${count} ${count === 1 ? 'object' : 'objects'}`
}
