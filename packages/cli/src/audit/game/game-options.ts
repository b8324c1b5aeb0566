import { wrongUsage } from '../../failure.ts'

/** The kinds of the game's objects. */
export const gameKinds = ['configmaps', 'secrets', 'pods', 'events'] as const
export type GameKind = (typeof gameKinds)[number]

/** Objects that a program should not care about. */
export interface GameOptions {
  readonly counts: Readonly<Record<GameKind, number>>
  /** The size of each ConfigMap and Secret. */
  readonly sizeBytes: number
  /** If the memory grows by more, the program has failed. */
  readonly maxGrowthBytes: number
}

/** The maximum size of an object. Kubernetes accepts a ConfigMap or Secret of at most 1 MiB. */
const maxSizeBytes = 1_000_000

/** Parses the options of the game from the command line: `configmaps=5,size=100kB`. Missing options have their defaults. @throws CommandFailure */
export function gameOf(text: string, maxGrowth: string): GameOptions {
  const counts = { configmaps: 20, secrets: 20, pods: 100, events: 100 }
  let sizeBytes = 500_000
  for (const part of text.split(',').filter(Boolean)) {
    const [name = '', value = ''] = part.split('=')
    if (name === 'size') sizeBytes = bytesOf('size of --game', value, maxSizeBytes)
    else if (isKind(name) && /^\d{1,5}$/.test(value)) counts[name] = Number(value)
    else
      throw wrongUsage(
        `--game takes a number of ${gameKinds.join(', ')}, and size, as in secrets=5,size=100kB: not ${part}`,
      )
  }
  if (gameKinds.every(kind => counts[kind] === 0)) throw wrongUsage('--game needs an object at least')
  return { counts, sizeBytes, maxGrowthBytes: bytesOf('--max-rss-growth', maxGrowth, Number.POSITIVE_INFINITY) }
}

const isKind = (name: string): name is GameKind => (gameKinds as readonly string[]).includes(name)

function bytesOf(name: string, text: string, most: number): number {
  const [, number = '', unit = ''] = /^(\d{1,6})(kB|MB)$/.exec(text) ?? []
  const bytes = Number(number) * (unit === 'MB' ? 1_000_000 : 1_000)
  if (number !== '' && bytes <= most) return bytes
  const bound = most === Number.POSITIVE_INFINITY ? '' : `, ${most / 1_000} kB at most`
  throw wrongUsage(`${name} takes a size such as 500kB or 20MB${bound}, not ${JSON.stringify(text)}`)
}
