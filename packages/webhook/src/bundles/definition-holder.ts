import { type CustomResourceDefinition, customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import type { ConversionStanza } from '../conversion/stanza.ts'
import type { TakenUp } from '../conversion/taken-up.ts'
import type { Bundled, BundleHolder } from './holder.ts'

const part = 'conversion'

/** The holder for the conversion in a CustomResourceDefinition. Another writer owns the definition. */
export function definitionHolder({ definition, conversion }: ConversionStanza, takenUp?: TakenUp): BundleHolder {
  const { webhook } = conversion
  const path = pathOf(conversion)
  return {
    kind: 'CustomResourceDefinition',
    objectName: definition,
    view: customResourceDefinitions.full() as unknown as BundleHolder['view'],
    names: [part],
    isOwn: false,
    lacks: `has no spec.conversion with the strategy Webhook and the path ${path}: apply its manifest`,
    seen: (live, { areThere, areWhole }) => {
      if (live === undefined) takenUp?.see('absent', undefined)
      else if (!areThere) takenUp?.see('lacking', undefined)
      // If the bundle becomes incomplete later, conversions fail, but the API server never returns unconverted objects.
      else if (areWhole) takenUp?.see('there', changedAt(live))
    },
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

/** The time of the last write by an owner of `spec.conversion`, in milliseconds since 1970. */
function changedAt({ metadata }: Bundled): number | undefined {
  const writers = (metadata.managedFields ?? []).filter(({ fieldsV1 }) =>
    JSON.stringify(fieldsV1 ?? {}).includes('"f:conversion"'),
  )
  const times = writers.map(({ time }) => Date.parse(`${time}`)).filter(Number.isFinite)
  return times.length === 0 ? undefined : Math.max(...times)
}

function pathOf({ webhook }: ConversionStanza['conversion']): string | undefined {
  const { service, url } = webhook?.clientConfig ?? {}
  if (service !== undefined) return service.path
  return url === undefined || !URL.canParse(url) ? undefined : new URL(url).pathname
}
