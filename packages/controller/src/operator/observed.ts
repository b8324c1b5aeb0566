import { channel } from 'node:diagnostics_channel'
import { viewText } from '../controller/view-text.ts'
import type { Operator } from './operator.ts'
import type { OperatorReport } from './report.ts'

/** The state of a controller, for tools. */
export interface ObservedController {
  readonly name: string
  /** The reason why the controller does not reconcile yet; `undefined` if it does. */
  readonly obstacle: string | undefined
  /** The views that the controller watches. */
  readonly views: readonly string[]
  /** A text for each key that runs or waits, with its reason. */
  readonly pending: readonly string[]
  /** A sentence for each key that was not at rest at the last check, or when the operator ended (rule C24). */
  readonly loops: readonly string[]
}

/** A view of objects that an operator holds. */
export interface ObservedView {
  /** The view's key, in words if Wherry made its projection. */
  readonly view: string
  /** The informer's state, or `by name`. */
  readonly state: string
  readonly objects: number
  readonly receivedBytes: number
  readonly holders: readonly string[]
}

/** The interface of an operator for tools in its process, such as `wherry dev`. */
export interface ObservedOperator extends Pick<Operator, 'name' | 'runs' | 'explain' | 'close'> {
  /** Whether the operator stops, or has ended. */
  readonly isEnding: () => boolean
  /** Makes all present and later calls of {@link Operator.settled} reject with the error. The operator itself goes on. */
  readonly giveUp: (error: Error) => void
  readonly state: () => { readonly controllers: readonly ObservedController[]; readonly views: readonly ObservedView[] }
}

/** The channel in which a running operator publishes its {@link ObservedOperator}, once it has its controllers. */
const operators = channel('wherry.operator.start')

/** Publishes the interface of an operator for tools, if the channel has a subscriber. */
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
