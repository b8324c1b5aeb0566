import { type CustomResourceDefinition, customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import type { ConversionStanza } from '../conversion/stanza.ts'
import type { BundleHolder } from './holder.ts'

const part = 'conversion'

/** The conversion in a CustomResourceDefinition, which is another's. */
export function definitionHolder({ definition, conversion }: ConversionStanza): BundleHolder {
  const { webhook } = conversion
  const path = pathOf(conversion)
  return {
    kind: 'CustomResourceDefinition',
    objectName: definition,
    view: customResourceDefinitions.full() as unknown as BundleHolder['view'],
    names: [part],
    isOwn: false,
    lacks: `has no spec.conversion with the strategy Webhook and the path ${path}: apply its manifest`,
    mine: live => {
      const { conversion: found } = (live as CustomResourceDefinition).spec
      if (found?.strategy !== 'Webhook' || pathOf(found) !== path) return []
      return [{ name: part, caBundle: found.webhook?.clientConfig?.caBundle }]
    },
    whole: caBundle => {
      const clientConfig = { ...webhook?.clientConfig, ...(caBundle !== undefined && { caBundle }) }
      return { spec: { conversion: { ...conversion, webhook: { ...webhook, clientConfig } } } }
    },
    bundles: (_names, caBundle) => ({ spec: { conversion: { webhook: { clientConfig: { caBundle } } } } }),
  }
}

function pathOf({ webhook }: ConversionStanza['conversion']): string | undefined {
  const { service, url } = webhook?.clientConfig ?? {}
  if (service !== undefined) return service.path
  return url === undefined || !URL.canParse(url) ? undefined : new URL(url).pathname
}
