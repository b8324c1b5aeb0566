import { OwnWrites } from '../reads/own-writes.ts'
import { Causality } from './causality.ts'

/** The writes of an operator's process, and which of them caused which: its controllers may make each other run. */
export class SharedWrites extends OwnWrites {
  readonly causality: Causality = new Causality()
}

/** The causes of writes. A controller that shares its writes with no other controller gets a record of its own. */
export function causalityOf(writes: OwnWrites): Causality {
  return writes instanceof SharedWrites ? writes.causality : new Causality()
}
