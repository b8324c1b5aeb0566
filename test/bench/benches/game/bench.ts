import { type ModeName, measuredModes } from '../../../../tools/demo/game/mode.ts'
import type { Bench, Subject } from '../../harness/bench.ts'

/** How long only objects change that the operator does not need. */
export const QUIET_MS = 10_000

const memory = ['rss_bytes', 'anon_bytes', 'heap_bytes', 'peak_rss_bytes']
const traffic = ['received_bytes', 'unrelated_bytes', 'requests']

const subject = (mode: ModeName): Subject => ({
  name: mode,
  module: new URL('./play.ts', import.meta.url),
  metrics: [...memory, ...traffic, ...(mode === 'idle' ? [] : ['change_bytes', 'react_ms'])],
  options: { mode },
})

/** The memory game, as `npm run demo` plays it, always against the embedded server. */
export const gameBench: Bench = {
  name: 'game',
  measures: `one operator in seven ways, a process each: of N ConfigMaps and N Secrets of 500 KB it needs one of each, and ten others change a second; RSS (absolute), anonymous memory and heap with external memory in the end, after a full collection; the greatest RSS; bytes of the network to its first result, in ${QUIET_MS / 1000} s in which nothing changed that it needs, and for each change of what it needs; from such a change to the end of the reconcile`,
  transport: 'TLS 1.3 on loopback, HTTP/2 (client-node: HTTP/1.1), through a TCP proxy that counts',
  objects: 201,
  of: 'configmaps',
  runTimeoutMs: 240_000,
  subjects: [
    { name: 'objects', module: new URL('./objects.ts', import.meta.url), metrics: ['needed_bytes'] },
    ...measuredModes.map(subject),
  ],
  targets: [
    { subject: 'narrow', metric: 'heap_bytes', atMost: 2_010_000, above: { subject: 'idle' } },
    { subject: 'narrow', metric: 'rss_bytes', atMost: 10e6, above: { subject: 'idle' } },
    { subject: 'owned', metric: 'heap_bytes', atMost: 6.5e6, above: { subject: 'idle' } },
    { subject: 'owned', metric: 'unrelated_bytes', atMost: 2_000 },
    { subject: 'narrow', metric: 'rss_bytes', atMost: 3e6, above: { subject: 'live' } },
    { subject: 'narrow', metric: 'received_bytes', atMost: 2.2, times: { subject: 'objects', metric: 'needed_bytes' } },
    // One of the two for each change: half of both.
    { subject: 'narrow', metric: 'change_bytes', atMost: 0.55, times: { subject: 'objects', metric: 'needed_bytes' } },
    // Bookmarks and PINGs, and no object.
    { subject: 'narrow', metric: 'unrelated_bytes', atMost: 2_000 },
    { subject: 'narrow', metric: 'react_ms', atMost: 1.2, times: { subject: 'wherry-full' } },
  ],
}
