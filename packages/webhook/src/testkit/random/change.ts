import type { Game } from '../games.ts'

/** Changes an object, as a handler does with its draft. `by` is the webhook's name. */
export type Change = (game: Game, by: string) => void

const spec = (game: Game): NonNullable<Game['spec']> => {
  game.spec ??= {}
  return game.spec
}

/** What mutating handlers of objects do. */
export const changes: Readonly<Record<string, Change>> = {
  none: () => {},
  label: (game, by) => {
    game.metadata = { ...game.metadata, labels: { ...game.metadata?.labels, by } }
  },
  pay: game => {
    const labels = game.metadata?.labels
    if (labels !== undefined) labels.tier = 'paid'
  },
  tag: (game, by) => {
    const { tags = [] } = spec(game)
    if (!tags.includes(by)) spec(game).tags = [by, ...tags]
  },
  sort: game => {
    spec(game).tags?.sort()
  },
  // It finds something to change in each call.
  count: game => {
    spec(game).players = (spec(game).players ?? 0) + 1
  },
  cap: game => {
    if ((spec(game).players ?? 0) > 3) spec(game).players = 3
  },
  untitle: game => {
    delete spec(game).title
  },
  title: (game, by) => {
    spec(game).title = `${by}/~${spec(game).tags?.length ?? 0}`
  },
  clear: game => {
    game.spec = {}
  },
}

/** What mutating handlers of the status do. */
export const statusChanges: Readonly<Record<string, Change>> = {
  none: () => {},
  phase: (game, by) => {
    game.status = { ...game.status, phase: by }
  },
  keep: game => {
    game.status = { phase: game.status?.phase ?? 'none' }
  },
}

/** What no mutating webhook may do with an object. */
export const forbidden: Readonly<Record<string, Change>> = {
  rename: game => {
    if (game.metadata !== undefined) game.metadata.name = 'other'
  },
  setStatus: game => {
    game.status = { phase: 'forbidden' }
  },
  date: game => {
    Object.assign(spec(game), { title: new Date(0) })
  },
}

/** What no mutating webhook of the status may do. */
export const forbiddenForStatus: Readonly<Record<string, Change>> = {
  relabel: game => {
    game.metadata = { ...game.metadata, labels: { changed: 'x' } }
  },
  play: game => {
    game.spec = { players: 99 }
  },
}
