import {
  type MutatingWebhookConfiguration,
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from '@wherry/client/resources/admissionregistration'
import type { WebhookConfiguration } from '../scope/configurations.ts'
import type { BundleHolder } from './holder.ts'
import { unlike } from './own-fields.ts'

const views = {
  MutatingWebhookConfiguration: mutatingWebhookConfigurations,
  ValidatingWebhookConfiguration: validatingWebhookConfigurations,
}

/**
 * The holder for a configuration of admission webhooks, which belongs to the operator.
 *
 * @param suffix the end of the names of the operator's webhooks
 */
export function configurationHolder(wanted: WebhookConfiguration, suffix: string): BundleHolder {
  const webhooks = wanted.webhooks ?? []
  return {
    kind: wanted.kind,
    objectName: wanted.metadata.name,
    view: views[wanted.kind].full() as unknown as BundleHolder['view'],
    names: webhooks.map(({ name }) => name),
    isOwn: true,
    lacks: 'has no webhook of this operator on the server: apply its manifest',
    mine: live =>
      ((live as MutatingWebhookConfiguration).webhooks ?? [])
        .filter(({ name }) => name.endsWith(suffix))
        .map(({ name, clientConfig }) => ({ name, caBundle: clientConfig?.caBundle })),
    differs: live => {
      const found = (live as MutatingWebhookConfiguration).webhooks ?? []
      return webhooks.flatMap(one => {
        const other = found.find(({ name }) => name === one.name)
        return other === undefined ? [] : unlike(one, other).map(path => `${one.name}: ${path}`)
      })
    },
    whole: caBundle =>
      caBundle === undefined
        ? wanted
        : { ...wanted, webhooks: webhooks.map(one => ({ ...one, clientConfig: { ...one.clientConfig, caBundle } })) },
    bundles: (names, caBundle) => ({ webhooks: names.map(name => ({ name, clientConfig: { caBundle } })) }),
  }
}
