import type { Kit } from './kit.ts'

/** From now on the server can't stream lists: a list, then a watch. */
export const listsFirst = ({ run, server }: Kit): Promise<unknown> => {
  const effect = { kind: 'status', code: 422, reason: 'Invalid', message: 'sendInitialEvents is forbidden' } as const
  return run(() => server.faults.add({ match: { verb: 'watch' }, nth: 1, effect }))
}

/** How far entries are escalated, and how many there are: `rising 3`. */
export const phases = ({ narrow }: Kit): string[] =>
  narrow.report().escalated.map(({ phase, entries }) => `${phase} ${entries}`)
