import { isDeepStrictEqual } from 'node:util'
import type { Client, KubernetesObject, View } from '@wherry/client'
import {
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from '@wherry/client/resources/admissionregistration'
import { type CustomResourceDefinition, customResourceDefinitions } from '@wherry/client/resources/apiextensions'

/** The objects that name webhooks, by the plural of their kind. A kind without such objects is left out. */
export type WebhookObjects = ReadonlyMap<string, readonly object[]>

/**
 * What an operator with webhooks applies at each start, since it does not know what its last release has applied: configurations, and definitions that are
 * converted. An apply that changes nothing leaves the resourceVersion as it is.
 */
export async function webhookObjects(client: Client): Promise<WebhookObjects> {
  const all = await Promise.all(
    [validatingWebhookConfigurations, mutatingWebhookConfigurations, customResourceDefinitions].map(async view => {
      const { items } = await client.list(view as View<KubernetesObject>)
      return [view.resource.plural, items.filter(isConvertedOrNone)] as const
    }),
  )
  return new Map(all.filter(([, objects]) => objects.length > 0))
}

/** The kinds with objects that differ. */
export function changedKinds(before: WebhookObjects, after: WebhookObjects): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    kind => !isDeepStrictEqual(before.get(kind), after.get(kind)),
  )
}

/** Of definitions only those that a webhook converts. */
function isConvertedOrNone(object: KubernetesObject): boolean {
  const { spec } = object as Partial<CustomResourceDefinition>
  return spec === undefined || spec.conversion?.strategy === 'Webhook'
}
