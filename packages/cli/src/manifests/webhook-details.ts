import { isRecord, texts } from '../definition/shape.ts'
import { refused } from '../failure.ts'
import type { OperatorDeclaration } from '../program/declaration.ts'

/** The field `spec.conversion` of a definition, without a bundle. */
export interface ConversionStanza {
  /** The name of the definition. */
  readonly definition: string
  readonly conversion: object
}

/** The details for the deployment of an operator's webhooks, which `@wherry/webhook` publishes. */
export interface WebhookDetails {
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number }
  /** The port that the server listens on. */
  readonly port: number
  readonly host?: string | undefined
  /** The address at which the API server calls the webhooks, in place of the Service. */
  readonly address?: string | undefined
  /** Whether requests are refused while no replica serves. */
  readonly fails: boolean
  /** The files of certificates that are mounted. */
  readonly files?: readonly string[] | undefined
  /** The arguments by which `kubectl delete` removes the configurations: `validatingwebhookconfiguration/game`. */
  readonly configured: readonly string[]
  /** The configurations for the manifest. Empty if the operator applies its configurations itself. */
  readonly configurations: readonly object[]
  readonly conversions: readonly ConversionStanza[]
}

/** The name of the container's port. */
export const webhookPort = 'webhooks'

/** The webhooks of a declaration, if it has some. Throws if their form is unknown to this package, or if a cluster can't reach them. */
export function webhooksOf(
  declaration: OperatorDeclaration,
  namespace: string,
  program: string,
): WebhookDetails | undefined {
  const component = declaration.components?.find(({ name }) => name === 'webhooks')
  if (component === undefined) return undefined
  const { details } = component
  if (!areDetails(details))
    throw refused(`${program} has a @wherry/webhook of another version than this @wherry/cli: update both`)
  const { host, port, fails, service, address } = details
  if (address === undefined && service.namespace !== namespace)
    throw refused(
      `the webhooks of ${program} are called by a Service in ${service.namespace}, which leads to no Pod in ${namespace}: leave its namespace out (service: '${service.name}')`,
    )
  if (port === 0) throw refused(`${program} serves its webhooks at a free port: leave out the option port of Webhooks`)
  if (host !== undefined && /^(127\.|localhost$|::1$)/.test(host))
    throw refused(`${program} serves its webhooks at ${host}, which no API server can reach: leave out the option host`)
  // Two replicas run if the webhooks must not be away.
  if (fails && !declaration.leader && declaration.controllers?.length !== 0)
    throw refused(
      `${program} has webhooks that must not be away, so it needs two replicas, and they would both reconcile: say leader: true`,
    )
  return details
}

function areDetails(details: unknown): details is WebhookDetails {
  if (!isRecord(details)) return false
  const { service, port, fails, configured, configurations, conversions } = details
  if (!isRecord(service) || typeof service.name !== 'string' || typeof service.namespace !== 'string') return false
  if (!texts.ok(configured)) return false
  if (!Number.isInteger(port) || !Number.isInteger(service.port) || typeof fails !== 'boolean') return false
  if (!Array.isArray(configurations) || !configurations.every(isRecord) || !Array.isArray(conversions)) return false
  return conversions.every(one => isRecord(one) && typeof one.definition === 'string' && isRecord(one.conversion))
}

/** Messages about what a user has to add to the manifests. */
export function noticesOf(webhooks: WebhookDetails | undefined): readonly string[] {
  const { address, files = [] } = webhooks ?? {}
  return [
    ...(address === undefined ? [] : [`no Service for the webhooks: the API server calls them at ${address}`]),
    ...(files.length === 0 ? [] : [`mount the files of the certificates in an overlay: ${files.join(', ')}`]),
  ]
}
