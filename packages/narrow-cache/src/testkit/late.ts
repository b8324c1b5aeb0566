import type { Kit } from './kit.ts'

/** Ends the watches, and keeps them from being opened again until the returned function is called. */
export async function late({ run, server }: Kit): Promise<() => Promise<void>> {
  const effect = { kind: 'status', code: 503 } as const
  const fault = await run(() => server.faults.add({ match: { verb: 'watch' }, effect }))
  await run(() => server.endWatches('configmaps'))
  return () => run(() => fault.remove())
}
