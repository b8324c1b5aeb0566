import { OptionRangeError, OptionTypeError } from '@wherry/client'
import { type Check, checkOptions, flag, integer, oneOf, text, texts } from '@wherry/client/internal'
import { type CertificateOptions, certificatesCheck, serverName } from './certificates/options.ts'
import type { WebhookService } from './scope/configurations.ts'
import type { CertificateSource } from './server/certificates.ts'

/** Options of {@link Webhooks}. */
export interface WebhooksOptions {
  /** The Service that leads to the operator's Pods. A name alone means a Service in the namespace of the operator's client. */
  readonly service: string | WebhookService
  /**
   * The certificate with which the operator serves its webhooks: options, or a source of your own. With a source, you write the `caBundle` of the configurations.
   * @default the operator makes certificates, renews them, and writes their authorities to the bundles of its configurations
   */
  readonly certificates?: CertificateOptions | CertificateSource | undefined
  /**
   * The origin of the configurations. `apply`: the operator applies them when it starts. `manifest`: you apply the result of
   * `webhooks.configurations()`, without `caBundle`, and the operator writes only the bundles.
   * @default 'apply'
   */
  readonly configurations?: 'apply' | 'manifest' | undefined
  /**
   * A host name or an address under which the API server reaches this process, in place of the Service: for tests, and for an operator that runs outside
   * of its cluster. A certificate that the operator makes is valid for this name too.
   * @default the API server calls the Service
   */
  readonly address?: string | undefined
  /** API groups that belong to the operator: webhooks of their resources have `failurePolicy` `Fail` by default. @default none */
  readonly groups?: readonly string[] | undefined
  /** The address to listen on. @default all addresses */
  readonly host?: string | undefined
  /** The port to listen on; 0 for a free port. The Service's `targetPort` must be the same. @default 9443 */
  readonly port?: number | undefined
  /** PEM of the authority of the API server's client certificate. Other clients are refused at the handshake. @default no client certificate is required */
  readonly clientCa?: string | undefined
  /** Offers HTTP/2 along with HTTP/1.1. The API server does not need HTTP/2, and a few clients could overload servers by flaws of HTTP/2. @default false */
  readonly http2?: boolean | undefined
}

const dnsLabel: Check = (option, value) => {
  const takes = 'lower-case letters, digits and -, up to 63'
  if (typeof value !== 'string') throw new OptionTypeError(option, takes, typeof value)
  if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(value))
    throw new OptionRangeError(option, takes, JSON.stringify(value))
}

/** Checks that a value is PEM of certificates. The error does not contain the value. */
const certificatePem: Check = (option, value) => {
  if (typeof value !== 'string') throw new OptionTypeError(option, 'PEM', typeof value)
  if (!value.includes('-----BEGIN CERTIFICATE-----'))
    throw new OptionRangeError(option, 'PEM of a certificate', 'something else')
}

/** @throws OptionTypeError, OptionRangeError */
export function checkWebhooksOptions(options: WebhooksOptions): void {
  const checks = {
    service: (option: string, value: unknown) =>
      typeof value === 'string'
        ? dnsLabel(option, value)
        : checkOptions(option, value, { namespace: dnsLabel, name: dnsLabel, port: integer(1, 65_535) }, [
            'namespace',
            'name',
          ]),
    certificates: certificatesCheck,
    configurations: oneOf('apply', 'manifest'),
    address: serverName,
    groups: texts,
    host: text,
    port: integer(0, 65_535),
    clientCa: certificatePem,
    http2: flag,
  }
  checkOptions('webhooks', options, checks, ['service'])
}

/** Checks the name that a program gives to a webhook. It becomes a part of the webhook's path, and of its full name in the configuration. @throws OptionTypeError, OptionRangeError */
export function checkWebhookName(name: unknown): void {
  dnsLabel('webhook.name', name)
}

/** The Service of the options, with its namespace. @throws OptionTypeError if neither the options nor the client have a namespace */
export function serviceOf({ service }: WebhooksOptions, ownNamespace: string | undefined): WebhookService {
  if (typeof service !== 'string') return service
  if (ownNamespace === undefined)
    throw new OptionTypeError(
      'webhooks.service',
      '{ namespace, name } (the client has no namespace of its own)',
      'a name',
    )
  return { namespace: ownNamespace, name: service }
}
