import { selectorObject } from '@wherry/client/internal'
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
  WebhookClientConfig,
} from '@wherry/client/resources/admissionregistration'
import { pathOf, type WebhookDefinition } from '../declaration/definition.ts'
import { matchConditions } from './match-conditions.ts'
import { namespaceSelector } from './selectors.ts'

/** The Service that leads to the operator's Pods. */
export interface WebhookService {
  readonly namespace: string
  readonly name: string
  /** @default 443 */
  readonly port?: number | undefined
}

/** The Service or the address at which the API server calls the webhooks. */
export interface WebhookPlace {
  readonly service: WebhookService
  /** `https://HOST:PORT`, in place of the Service. */
  readonly origin?: string | undefined
}

/** A configuration of webhooks to apply. */
export type WebhookConfiguration = (ValidatingWebhookConfiguration | MutatingWebhookConfiguration) & {
  readonly kind: 'ValidatingWebhookConfiguration' | 'MutatingWebhookConfiguration'
  readonly metadata: { readonly name: string }
}

const apiVersion = 'admissionregistration.k8s.io/v1'

/**
 * The configurations of webhooks: that of the validating webhooks and that of the mutating webhooks, if there are any. Both have the operator's
 * name. They have no `caBundle`, because a tool that applies them must not undo the `caBundle` of the operator.
 */
export function webhookConfigurations(
  operator: string,
  definitions: readonly WebhookDefinition[],
  place: WebhookPlace,
): WebhookConfiguration[] {
  const byName = definitions.toSorted((one, other) => (one.name < other.name ? -1 : 1))
  const of = (type: WebhookDefinition['type']): MutatingWebhook[] =>
    byName.filter(one => one.type === type).map(one => webhook(operator, one, place))
  const metadata = { name: operator }
  const mutating = of('mutating')
  const validating = of('validating')
  return [
    ...(mutating.length > 0
      ? [{ apiVersion, kind: 'MutatingWebhookConfiguration' as const, metadata, webhooks: mutating }]
      : []),
    ...(validating.length > 0
      ? [{ apiVersion, kind: 'ValidatingWebhookConfiguration' as const, metadata, webhooks: validating }]
      : []),
  ]
}

/** The end of the names of an operator's webhooks in its configurations. */
export function nameSuffix(operator: string): string {
  return `.${operator}.webhooks.wherry.dev`
}

function webhook(operator: string, definition: WebhookDefinition, { service, origin }: WebhookPlace): MutatingWebhook {
  const { name, type, view, subResource, operations, failurePolicy, timeoutSeconds, reinvocation } = definition
  const { group, version, plural, namespaced } = view.resource
  const { namespace, name: serviceName, port = 443 } = service
  const namespaces = namespaceSelector(view, namespace)
  const objects = selectorObject(view.labels)
  const conditions = matchConditions(definition)
  const path = pathOf(definition)
  const clientConfig: WebhookClientConfig =
    origin === undefined ? { service: { namespace, name: serviceName, port, path } } : { url: `${origin}${path}` }
  return {
    name: `${name}${nameSuffix(operator)}`,
    admissionReviewVersions: ['v1'],
    clientConfig,
    failurePolicy,
    matchPolicy: 'Equivalent',
    sideEffects: 'None',
    timeoutSeconds,
    ...(namespaces !== undefined && { namespaceSelector: namespaces }),
    ...(objects !== undefined && { objectSelector: objects }),
    rules: [
      {
        apiGroups: [group],
        apiVersions: [version],
        operations: [...operations],
        resources: [subResource === undefined ? plural : `${plural}/${subResource}`],
        scope: namespaced ? 'Namespaced' : 'Cluster',
      },
    ],
    ...(conditions.length > 0 && { matchConditions: conditions }),
    ...(type === 'mutating' && { reinvocationPolicy: reinvocation }),
  }
}
