/** A controller of the operator. */
export interface ControllerState {
  readonly name: string
  readonly obstacle?: string | undefined
  readonly views: readonly string[]
  readonly pending: readonly string[]
}

/** A view of which the operator holds objects. */
export interface ViewState {
  readonly view: string
  readonly state: string
  readonly objects: number
  readonly receivedBytes: number
  readonly holders: readonly string[]
}

/** What the operator watches, and what waits. */
export interface OperatorState {
  readonly name: string
  readonly controllers: readonly ControllerState[]
  readonly views: readonly ViewState[]
}

/** A run of a key that has ended. */
export interface Run {
  readonly controller: string
  readonly key: string
  /** `for updated default/chess: spec.title by kubectl` */
  readonly why: string
  readonly outcome: string
  readonly error?: string | undefined
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly tookMs: number
}

/** What the process of the operator tells. */
export type FromOperator =
  | { readonly type: 'state'; readonly state: OperatorState }
  | { readonly type: 'run'; readonly run: Run }
  | { readonly type: 'explained'; readonly id: number; readonly text: string }

/** What it is asked. */
export interface Explain {
  readonly id: number
  readonly controller: string
  readonly key: string
}

/** Lets a process that waits run its program. */
export const go = 'go'
