import type { WorkQueue } from '@wherry/work-queue'
import type { KeyStates } from './key-states.ts'

/**
 * What a controller has still to do, a line each: what runs, is queued, waits to be tried again after a failure, or waits to write
 * what somebody else, or the controller itself, has changed again and again.
 */
export function pendingLines(controller: string, queue: WorkQueue, states: KeyStates): readonly string[] {
  const running = queue.unfinished().map(({ key }) => `${controller}: ${key} is being reconciled`)
  const queued = queue.size > 0 ? [`${controller}: ${queue.size} queued`] : []
  const retrying = states.retrying().map(([key, { error }]) => {
    const why = error instanceof Error ? `: ${error.message}` : ''
    return `${controller}: ${key} waits to be tried again${why}`
  })
  const waiting = states.waiting().map(([key, { waitsFor = [] }]) => {
    return `${controller}: ${key} waits to write ${[...waitsFor].join(', ')}`
  })
  return [...running, ...queued, ...retrying, ...waiting]
}
