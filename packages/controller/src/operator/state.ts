import type { Controller } from '../controller/controller.ts'

/** What an operator is at. `starting`: its caches fill. */
export type OperatorState = 'idle' | 'starting' | 'running' | 'stopping' | 'stopped'

/** What keeps an operator from having begun; `undefined`: it has. */
export function whyNotBegun(state: OperatorState, controllers: readonly Controller<unknown>[]): string | undefined {
  if (state === 'idle') return 'the operator was not run'
  const waiting = controllers.find(one => one.state !== 'running')
  if (waiting === undefined && state !== 'starting') return undefined
  if (waiting?.state === 'idle') return `${waiting.name} waits to lead`
  // It failed to start, or leads no more: the run is about to end.
  if (waiting?.state === 'stopping' || waiting?.state === 'stopped') return `${waiting.name} has stopped`
  const waitsFor = waiting?.waitsFor ?? []
  const why = waitsFor.length === 0 ? '' : `: it waits for the first state of ${waitsFor.join(', ')}`
  return `${waiting?.name ?? 'the operator'} is starting${why}`
}
