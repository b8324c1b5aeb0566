import type { Kit } from './kit.ts'

/** Makes the server refuse the next streaming list, so that clients list first and then watch. */
export const listsFirst = ({ run, server }: Kit): Promise<unknown> => {
  const effect = { kind: 'status', code: 422, reason: 'Invalid', message: 'sendInitialEvents is forbidden' } as const
  return run(() => server.faults.add({ match: { verb: 'watch' }, nth: 1, effect }))
}

/** The phases of the escalations, with the number of entries: `escalating 3`. */
export const phases = ({ narrow }: Kit): string[] =>
  narrow.report().escalated.map(({ phase, entries }) => `${phase} ${entries}`)
