import { callback, checkOptions, text } from '@wherry/client/internal'
import type { DeclaredRight } from './declaration.ts'

/** What a component declares before the operator runs. `wherry rbac` and `wherry manifests` read it. */
export interface ComponentDeclaration {
  /** The rights that it needs. */
  readonly rights: readonly DeclaredRight[]
  /** What else tools read of it, as JSON, in a form that the component documents. */
  readonly details?: object | undefined
}

/**
 * What runs along with an operator on every replica, whether it leads or not: a server, for example. `@wherry/webhook` is one.
 */
export interface OperatorComponent {
  /** Names its check of `/readyz`: letters, digits, `-`, `_` and `.`. */
  readonly name: string
  /** Begins, before any controller does. The run goes on when this resolves, and fails if it rejects. */
  start(): Promise<void>
  /** Throws, or rejects, while the process is not ready. @default it is ready once it has started */
  readonly ready?: ((signal: AbortSignal) => unknown) | undefined
  /** What it declares, if a tool asks for it before the run. It does no I/O. @default it needs no rights */
  readonly declare?: (() => ComponentDeclaration) | undefined
  /** Ends, after all controllers have and before the caches are closed. It is called if `start` was, also if that rejected. */
  stop(): Promise<void>
}

/** @throws OptionTypeError, OptionRangeError (rule X6) */
export function checkComponent(component: OperatorComponent): void {
  const { name, start, ready, declare, stop } = Object(component) as OperatorComponent
  checkOptions(
    'component',
    { name, start, ready, declare, stop },
    { name: text, start: callback, ready: callback, declare: callback, stop: callback },
    [...(['name', 'start', 'stop'] as const)],
  )
}
