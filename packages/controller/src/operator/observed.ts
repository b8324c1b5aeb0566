import { channel } from 'node:diagnostics_channel'
import { viewText } from '../controller/view-text.ts'
import type { Operator } from './operator.ts'
import type { OperatorReport } from './report.ts'

/** A controller as a tool sees it. */
export interface ObservedController {
  readonly name: string
  /** Why it does not reconcile yet. `undefined` if it does. */
  readonly obstacle: string | undefined
  /** The views that it watches. */
  readonly views: readonly string[]
  /** Each key that runs or waits, and what for. */
  readonly pending: readonly string[]
  /** A sentence for each key that did not come to rest when it was looked at last, or when the operator ended (rule C24). */
  readonly loops: readonly string[]
}

/** A view of objects that an operator holds. */
export interface ObservedView {
  /** Its key, in words if Wherry made its projection. */
  readonly view: string
  /** An informer's, or `by name`. */
  readonly state: string
  readonly objects: number
  readonly receivedBytes: number
  readonly holders: readonly string[]
}

/** What a tool in the process of an operator sees of it, such as `wherry dev`. */
export interface ObservedOperator extends Pick<Operator, 'name' | 'runs' | 'explain' | 'close'> {
  /** Whether its end has begun. */
  readonly isEnding: () => boolean
  /** Says that the operator will not settle: {@link Operator.settled} rejects with the error, in calls that wait and in later ones. It goes on otherwise. */
  readonly giveUp: (error: Error) => void
  readonly state: () => { readonly controllers: readonly ObservedController[]; readonly views: readonly ObservedView[] }
}

/** Where an operator that runs publishes its {@link ObservedOperator}, when its controllers are there. */
const operators = channel('wherry.operator.start')

/** Publishes what a tool may see of an operator, if anybody listens. */
export function publishOperator(
  operator: Operator,
  controllers: () => readonly ObservedController[],
  giveUp: (error: Error) => void,
): void {
  if (!operators.hasSubscribers) return
  const observed: ObservedOperator = {
    name: operator.name,
    isEnding: () => operator.state === 'stopping' || operator.state === 'stopped',
    giveUp,
    close: () => operator.close(),
    runs: options => operator.runs(options),
    explain: (controller, key) => operator.explain(controller, key),
    state: () => ({
      controllers: controllers(),
      views: viewsOf(operator.report()),
    }),
  }
  operators.publish(observed)
}

function viewsOf({ informers, narrow }: OperatorReport): ObservedView[] {
  const held = informers.map(({ view, state, objects, receivedBytes, holders }) => ({
    ...{ view: viewText(view), state, objects, receivedBytes, holders },
  }))
  const read = narrow.views.map(({ view, objects, receivedBytes }) => ({
    ...{ view: viewText(view), state: 'by name', objects, receivedBytes, holders: ['reads'] },
  }))
  return [...held, ...read]
}
