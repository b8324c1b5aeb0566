import { randomBytes } from 'node:crypto'
import { chess, type Data } from './game.ts'

/** How full the cluster is. */
export interface Filling {
  readonly namespace: string
  /** So many ConfigMaps, and as many Secrets. The game needs one of each. */
  readonly objects: number
  /** Of each one's data, as it is sent. */
  readonly bytes: number
}

/** A ConfigMap or a Secret. */
export interface Filler {
  readonly apiVersion: 'v1'
  readonly kind: 'ConfigMap' | 'Secret'
  readonly metadata: { readonly namespace: string; readonly name: string }
  readonly data: Data
  /** Of a Secret. Said, since what fills the embedded server is stored as it is. */
  readonly type?: 'Opaque' | undefined
}

/** The name of one that no game needs. */
export function nameOfOther(kind: Filler['kind'], index: number): string {
  return `${kind === 'Secret' ? 'licence' : 'levels'}-${index}`
}

/** All ConfigMaps and Secrets of the cluster, those that the game needs first. */
export function* fillers({ namespace, objects, bytes }: Filling): Generator<Filler> {
  const text = randomText(bytes)
  for (let i = 0; i < objects; i++) {
    for (const kind of ['ConfigMap', 'Secret'] as const) {
      const needed = kind === 'Secret' ? chess.licence : chess.levels
      const name = i === 0 ? needed : nameOfOther(kind, i)
      const type = kind === 'Secret' ? { type: 'Opaque' as const } : {}
      yield { apiVersion: 'v1', kind, metadata: { namespace, name }, ...type, data: { file: text() } }
    }
  }
}

/** Random text of that length, which is base64 too: another piece of one long text each time. */
function randomText(bytes: number): () => string {
  const length = Math.ceil(bytes / 4) * 4
  const pool = randomBytes(length * 3).toString('base64')
  const steps = (pool.length - length) / 4
  let at = 0
  return () => {
    at = (at + 7_919) % steps
    return pool.slice(at * 4, at * 4 + length)
  }
}
