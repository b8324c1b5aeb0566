import type { DeclaredHealth } from '../program/declaration.ts'
import type { NeededRole } from '../rbac/roles.ts'
import type { WebhookDetails } from './webhook-details.ts'

/** The properties of an operator for its manifests. */
export interface Deployed {
  readonly name: string
  /** The namespace in which the operator runs. */
  readonly namespace: string
  readonly image: string
  readonly roles: readonly NeededRole[]
  /** Whether the operator elects a leader among several processes. */
  readonly leader: boolean
  /** How many processes share the objects by their uids. Each needs a host's name that ends with its number. @default they don't */
  readonly processes?: number | undefined
  readonly health: DeclaredHealth | undefined
  readonly hasServiceMonitor: boolean
  readonly webhooks?: WebhookDetails | undefined
  readonly hasNetworkPolicy?: boolean | undefined
}

/** The labels of all that belongs to an operator. */
export function labelsOf(name: string): Readonly<Record<string, string>> {
  return { 'app.kubernetes.io/name': name }
}
