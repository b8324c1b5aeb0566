import { OwnWrites } from '../reads/own-writes.ts'
import { Causality } from './causality.ts'

/** The writes of an operator's process, and which of them were the reason for which: its controllers may make each other run. */
export class SharedWrites extends OwnWrites {
  readonly causality: Causality = new Causality()
}

/** The record of the reasons of writes. A controller that shares its writes with no other has one of its own. */
export function causalityOf(writes: OwnWrites): Causality {
  return writes instanceof SharedWrites ? writes.causality : new Causality()
}
