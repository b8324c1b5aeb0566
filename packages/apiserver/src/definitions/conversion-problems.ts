import { type JsonObject, objectAt, own, stringAt, stringsAt } from '@wherry/cel/internal'
import { invalid, required } from '../metadata/validate.ts'
import { addressProblems } from '../outside/address-problems.ts'
import type { StatusCause } from '../status.ts'

const at = 'spec.conversion'
const strategies = ['None', 'Webhook']
const reviewVersions = ['v1', 'v1beta1']

/** The server's objections to the conversion of a definition. Its messages name the webhook's fields as in the server's own type. */
export function conversionProblems(spec: JsonObject): StatusCause[] {
  const conversion = objectAt(spec, 'conversion')
  if (conversion === undefined) return []
  const strategy = stringAt(conversion, 'strategy') ?? ''
  const webhook = objectAt(conversion, 'webhook')
  const config = objectAt(webhook, 'clientConfig')
  const versions = webhook === undefined ? [] : stringsAt(webhook, 'conversionReviewVersions')
  if (strategy === 'Webhook') {
    const field = `${at}.webhookClientConfig`
    const address =
      config === undefined
        ? [required(field, 'required when strategy is set to Webhook')]
        : addressProblems(config, field)
    return [...address, ...versionProblems(versions)]
  }
  const strange = strategies.includes(strategy) ? [] : [unsupported(strategy)]
  const forbidden = (field: string): StatusCause => ({
    reason: 'FieldValueForbidden',
    message: 'Forbidden: should not be set when strategy is not set to Webhook',
    field: `${at}.${field}`,
  })
  return [
    ...strange,
    ...(config === undefined ? [] : [forbidden('webhookClientConfig')]),
    ...(versions.length === 0 ? [] : [forbidden('conversionReviewVersions')]),
  ]
}

function unsupported(strategy: string): StatusCause {
  if (strategy === '') return required(`${at}.strategy`, '')
  const known = strategies.map(one => JSON.stringify(one)).join(', ')
  const message = `Unsupported value: ${JSON.stringify(strategy)}: supported values: ${known}`
  return { reason: 'FieldValueNotSupported', message, field: `${at}.strategy` }
}

function versionProblems(versions: readonly string[]): StatusCause[] {
  const field = `${at}.conversionReviewVersions`
  if (versions.length === 0) return [required(field, '')]
  const repeated = versions.flatMap((version, i) =>
    versions.indexOf(version) < i ? [invalid(`${field}[${i}]`, version, 'duplicate version')] : [],
  )
  if (versions.some(version => reviewVersions.includes(version))) return repeated
  return [...repeated, invalid(field, versions, `must include at least one of ${reviewVersions.join(', ')}`)]
}

/** Whether a definition converts by a webhook. */
export function convertsByWebhook(spec: JsonObject | undefined): boolean {
  const conversion = objectAt(spec, 'conversion')
  return conversion !== undefined && own(conversion, 'strategy') === 'Webhook'
}
