import type { Client } from '@wherry/client'
import { callback, checkOptions, flag, text } from '@wherry/client/internal'
import type { Term } from '../leader/term.ts'
import type { PrometheusMetrics } from '../metrics/prometheus.ts'
import type { Traces } from '../tracing/traces.ts'
import type { DeclaredRight } from './declaration.ts'

/** The declarations of a component before the operator runs. `wherry rbac` and `wherry manifests` read them. */
export interface ComponentDeclaration {
  /** The rights that the component needs. */
  readonly rights: readonly DeclaredRight[]
  /** Further declarations for tools, as JSON, in a form that the component documents. */
  readonly details?: object | undefined
}

/** The operator, for a component that starts. */
export interface ComponentContext {
  /** The operator's name. */
  readonly name: string
  /** The operator's client. */
  readonly client: Client
  readonly metrics: PrometheusMetrics | undefined
  readonly traces: Traces | undefined
  /** The leader's term, for a component with `needLeaderElection` of an operator that elects a leader. */
  readonly term: Term | undefined
}

/**
 * A part that runs with an operator, by default on every replica, whether the replica leads or not: a server, for example. `@wherry/webhook` has one.
 */
export interface OperatorComponent {
  /** Names its check of `/readyz`: letters, digits, `-`, `_` and `.`. */
  readonly name: string
  /**
   * Whether the component runs only on the leader, if the operator elects one: it starts and stops with the term, and a replica that waits for the
   * term is ready without it.
   * @default false
   */
  readonly needLeaderElection?: boolean | undefined
  /**
   * Starts the component, before all controllers that run in the same place: on every replica, or on the leader. The run goes on when this resolves, and fails
   * if it rejects.
   */
  start(context: ComponentContext): Promise<void>
  /** Throws, or rejects, while the component is not ready. @default it is ready when it has started */
  readonly ready?: ((signal: AbortSignal) => unknown) | undefined
  /** Returns the declarations, for tools, before the run. It must do no I/O. @default the component needs no rights */
  readonly declare?: (() => ComponentDeclaration) | undefined
  /**
   * Stops the component, after all controllers and before the caches are closed. It is called if `start` was called, even if that rejected.
   * All components together may take the operator's `stopTimeoutMs`. Then `onError` gets the names of those that have not stopped.
   */
  stop(): Promise<void>
}

/** @throws OptionTypeError, OptionRangeError (rule X6) */
export function checkComponent(component: OperatorComponent): void {
  const { name, needLeaderElection, start, ready, declare, stop } = Object(component) as OperatorComponent
  checkOptions(
    'component',
    { name, needLeaderElection, start, ready, declare, stop },
    { name: text, needLeaderElection: flag, start: callback, ready: callback, declare: callback, stop: callback },
    [...(['name', 'start', 'stop'] as const)],
  )
}
