import type { Controller } from '../controller/controller.ts'

/** What an operator is at. `starting`: its caches fill. */
export type OperatorState = 'idle' | 'starting' | 'running' | 'stopping' | 'stopped'

/** What keeps an operator from having begun; `undefined`: it has. */
export function whyNotBegun(state: OperatorState, controllers: readonly Controller<unknown>[]): string | undefined {
  if (state === 'idle') return 'the operator was not run'
  const waiting = controllers.find(one => one.state === 'idle' || one.state === 'starting')
  if (waiting === undefined && state !== 'starting') return undefined
  return waiting?.state === 'idle' ? `${waiting.name} waits to lead` : `${waiting?.name ?? 'the operator'} is starting`
}
