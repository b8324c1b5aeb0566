import type { ApiServer } from '@wherry/apiserver'
import { Client } from '@wherry/client'
import {
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from '@wherry/client/resources/admissionregistration'
import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'

const isHere = (url: string | undefined): boolean => url?.startsWith('https://127.0.0.1:') === true

/**
 * Deletes the webhook configurations of an operator that ran here and has stopped. Otherwise the requests for its webhooks would be refused until it runs
 * again, and for ever if its sources no longer have the webhook.
 */
export async function deleteOwnWebhooks({ url, ca, token }: ApiServer): Promise<void> {
  await using client = new Client({ url, ca, token })
  for (const view of [validatingWebhookConfigurations, mutatingWebhookConfigurations])
    for (const { metadata, webhooks = [] } of (await client.list(view)).items)
      if (webhooks.length > 0 && webhooks.every(({ clientConfig }) => isHere(clientConfig.url)))
        await client.delete(view, { name: metadata?.name ?? '' })
}

/** A definition without the conversion of an operator that ran here. */
export function withoutOwnConversion<D extends object>(definition: D): D {
  const { spec: whole } = definition as Partial<CustomResourceDefinition>
  const { conversion, ...spec } = whole ?? ({} as Partial<CustomResourceDefinition['spec']>)
  return isHere(conversion?.webhook?.clientConfig?.url) ? { ...definition, spec } : definition
}
