import { channel } from 'node:diagnostics_channel'
import { isSensitive } from '@wherry/client/internal'
import type { AdmissionAnswer } from './admission/answer.ts'
import type { WebhookDefinition } from './declaration/definition.ts'
import type { AdmissionRequest } from './handler/request.ts'
import type { WebhooksOptions } from './options.ts'

/** A request that a webhook has answered. */
export interface ObservedAdmission {
  readonly webhook: string
  readonly operation: string
  /** `games.arcade.example.com`, with its subresource. */
  readonly resource: string
  /** `default/chess` */
  readonly object: string
  readonly user: string
  readonly isDryRun: boolean
  readonly allowed: boolean
  /** The reason of the refusal; '' if the request is allowed. */
  readonly message: string
  readonly warnings: readonly string[]
  /** A line for each change: `add /metadata/labels {"a":"b"}`. Without values for Secrets. */
  readonly changes: readonly string[]
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly tookMs: number
}

/** The webhooks of an operator, for a tool in its process such as `wherry dev`, before they are served. */
export interface ObservedWebhooks {
  readonly name: string
  /**
   * Serves the webhooks at `127.0.0.1` for the API server of this machine. The operator then makes its certificates and applies its configurations, regardless
   * of its options.
   */
  serveHere(): void
  /** Leaves the webhooks out: they are not served, and no configuration is written. */
  leaveOut(): void
  /** Calls the listener after each request that is answered. */
  onAdmission(listener: (admission: ObservedAdmission) => void): void
  /**
   * Calls the listener with the names of all webhooks and conversions once the API server calls them, because it has their configurations and trusts their
   * certificate.
   */
  onAsked(listener: (names: readonly string[]) => void): void
}

/** The channel on which the webhooks of an operator publish their {@link ObservedWebhooks}, before they are served. */
const starts = channel('wherry.webhooks.start')

/** The options and listeners that a tool has set for the webhooks. */
export interface Observation {
  readonly options: WebhooksOptions
  readonly isLeftOut: boolean
  readonly listeners: readonly ((admission: ObservedAdmission) => void)[]
  readonly asked: readonly ((names: readonly string[]) => void)[]
}

/** Publishes the webhooks of an operator, if a tool listens. Returns the options with which they are served. */
export function observation(name: string, given: WebhooksOptions): Observation {
  const listeners: ((admission: ObservedAdmission) => void)[] = []
  const asked: ((names: readonly string[]) => void)[] = []
  let options = given
  let isLeftOut = false
  if (starts.hasSubscribers) {
    const observed: ObservedWebhooks = {
      name,
      serveHere: () => {
        options = hereOf(given)
      },
      leaveOut: () => {
        isLeftOut = true
      },
      onAdmission: listener => void listeners.push(listener),
      onAsked: listener => void asked.push(listener),
    }
    starts.publish(observed)
  }
  return { options, isLeftOut, listeners, asked }
}

/**
 * The options on this machine. The namespace of the Service must exist, and its objects are not reviewed. So it is `kube-system`, and objects in `default` are
 * reviewed.
 */
function hereOf({ service, groups }: WebhooksOptions): WebhooksOptions {
  const name = typeof service === 'string' ? service : service.name
  const place = { address: '127.0.0.1', host: '127.0.0.1', port: 0 }
  return { service: { namespace: 'kube-system', name }, groups, ...place }
}

/** An admission in the form for tools. */
export function observedAdmission(
  { name, view }: WebhookDefinition,
  { operation, resource, subResource, namespace, name: object, object: submitted, userInfo, dryRun }: AdmissionRequest,
  { allowed, status, warnings, patch }: AdmissionAnswer,
  time: { readonly startedAt: number; readonly tookMs: number },
): ObservedAdmission {
  const isSecret = isSensitive(view.resource)
  const given = (submitted as { metadata?: { name?: string; generateName?: string } } | null | undefined)?.metadata
  const named = object || given?.name || given?.generateName || ''
  return {
    ...{ webhook: name, operation, allowed, warnings, ...time },
    resource: [resource.resource, resource.group].filter(Boolean).join('.') + (subResource ? `/${subResource}` : ''),
    object: [namespace, named].filter(Boolean).join('/'),
    user: userInfo?.username ?? '',
    isDryRun: dryRun === true,
    message: status?.message ?? '',
    changes: patch.map(one => {
      const value = isSecret || !('value' in one) ? '' : ` ${JSON.stringify(one.value)}`
      return `${one.op} ${one.path}${value}`
    }),
  }
}
