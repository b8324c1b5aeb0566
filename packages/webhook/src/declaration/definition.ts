import type { View } from '@wherry/client'
import type { CommonContext } from '../handler/context.ts'
import type { Operation } from '../handler/request.ts'

/** The decision of the API server about a request if the webhook gives no answer. */
export type FailurePolicy = 'Fail' | 'Ignore'

/** A handler, whatever its types. */
export type AnyHandler = (context: CommonContext) => unknown

/** A webhook with a complete declaration. */
export interface WebhookDefinition {
  readonly name: string
  readonly type: 'validating' | 'mutating'
  readonly view: View
  readonly subResource: 'status' | 'scale' | undefined
  readonly operations: readonly Operation[]
  /** Whether updates that change only metadata other than labels, or the status, are left out. */
  readonly updates: 'changed' | 'all'
  readonly when: string | undefined
  /** The views that its handler reads. */
  readonly reads: readonly View[]
  readonly failurePolicy: FailurePolicy
  readonly timeoutSeconds: number
  readonly reinvocation: 'Never' | 'IfNeeded'
  readonly handler: AnyHandler
}

/** The path that the API server calls. */
export function pathOf({ type, name }: Pick<WebhookDefinition, 'type' | 'name'>): string {
  return `/${type === 'mutating' ? 'mutate' : 'validate'}/${name}`
}
