import type { View } from '@wherry/client'
import { type ConfigMap, configMaps } from '@wherry/client/resources/core'
import { expect } from 'vitest'
import type { Subscription } from '../handler.ts'
import type { History } from './history.ts'
import { type Kit, keyOf } from './kit.ts'

/** The fields of an object that a projection may keep. */
export type Partly = {
  readonly metadata?: { readonly resourceVersion?: string | undefined } | undefined
  readonly data?: unknown
}

/** A view that can't transform objects with an odd number. */
export const strict: View<Partly, 'namespaced'> = configMaps.project('strict', ({ metadata, data }) => {
  if (Number(data?.n) % 2 === 1) throw new Error('odd')
  return { metadata }
})

/** The state of an object, as a {@link History} records it. Every object has data, so an object of a view that keeps data must have them. */
export function stateOf(object: Partly | undefined, view?: View): string {
  if (object === undefined) return 'absent'
  const isWhole = view !== undefined && view.projection.kind !== 'metadata' && view.projection.kind !== 'named'
  return isWhole && object.data === undefined ? 'without data' : (object.metadata?.resourceVersion ?? 'absent')
}

/** A subscriber, which is checked with each event. */
export class Received {
  readonly path: string
  readonly view: View
  /** Whether its view is {@link strict}. */
  readonly isStrict: boolean
  readonly subscription: Promise<Subscription>
  #at = -1
  state: string | undefined
  readonly faults: string[] = []
  isOver = false

  readonly #states: string[] = []

  constructor(
    { narrow }: Kit,
    view: View<ConfigMap, 'namespaced'>,
    path: string,
    floor: number,
    after: (one: Received, state: string) => void,
  ) {
    this.path = path
    this.view = view
    this.isStrict = view.projection.name === strict.projection.name
    this.#at = floor - 1
    const receive = (from: string, state: string): void => {
      const { state: before = 'none' } = this
      const was = ['none', 'absent', 'failed'].includes(before) ? before : 'present'
      if (this.isOver || !from.split(' ').includes(was))
        this.faults.push(`${state} from ${from} after ${was}${this.isOver ? ', over' : ''}`)
      this.#states.push(state)
      this.state = state
      after(this, state)
    }
    this.subscription = narrow.watch(view, keyOf(path), {
      absent: () => receive('none failed', 'absent'),
      add: (object, { isInInitialList }) => receive(isInInitialList ? 'none' : 'absent failed', stateOf(object, view)),
      update: object => receive('present', stateOf(object, view)),
      delete: () => receive('present', 'absent'),
      onTransformFailed: ({ isThere }) => (isThere ? receive('none absent', 'failed') : receive('failed', 'absent')),
    })
  }

  /** Checks that each received state is a state that the object had, after the state received before. */
  check(history: History): void {
    expect(this.faults, this.path).toEqual([])
    for (const state of this.#states.splice(0)) {
      const index = history.find(this.path, state, this.#at + 1, this.isStrict)
      expect(index, `${this.path} went to ${state}, which is older or never was`).toBeDefined()
      this.#at = index as number
    }
  }
}
