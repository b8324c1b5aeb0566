import { OptionRangeError, OptionTypeError } from '@wherry/client'
import { type Check, checkOptions, flag, integer, text, texts } from '@wherry/client/internal'
import type { WebhookService } from './scope/configurations.ts'
import { type CertificateSource, certificateSourceCheck } from './server/certificates.ts'

/** Options of {@link Webhooks}. */
export interface WebhooksOptions {
  /** The Service that leads to the operator's Pods. */
  readonly service: WebhookService
  /** The certificate that the server shows. */
  readonly certificates: CertificateSource
  /** API groups that belong to the operator: webhooks of their resources have `failurePolicy` `Fail` by default. @default none */
  readonly groups?: readonly string[] | undefined
  /** The address to listen on. @default all addresses */
  readonly host?: string | undefined
  /** The port to listen on; 0 takes a free one. The Service's `targetPort` must be the same. @default 9443 */
  readonly port?: number | undefined
  /** PEM of the authority that the API server's client certificate is of. Others are refused at the handshake. @default none is asked for */
  readonly clientCa?: string | undefined
  /** Offers HTTP/2 along with HTTP/1.1. The API server needs none, and HTTP/2 has had flaws that let few clients keep a server busy. @default false */
  readonly http2?: boolean | undefined
}

const dnsLabel: Check = (option, value) => {
  const takes = 'lower-case letters, digits and -, up to 63'
  if (typeof value !== 'string') throw new OptionTypeError(option, takes, typeof value)
  if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(value))
    throw new OptionRangeError(option, takes, JSON.stringify(value))
}

/** PEM of certificates. The error does not repeat it. */
const certificatePem: Check = (option, value) => {
  if (typeof value !== 'string') throw new OptionTypeError(option, 'PEM', typeof value)
  if (!value.includes('-----BEGIN CERTIFICATE-----'))
    throw new OptionRangeError(option, 'PEM of a certificate', 'something else')
}

/** @throws OptionTypeError, OptionRangeError */
export function checkWebhooksOptions(options: WebhooksOptions): void {
  const checks = {
    service: (option: string, value: unknown) =>
      checkOptions(option, value, { namespace: dnsLabel, name: dnsLabel, port: integer(1, 65_535) }, [
        'namespace',
        'name',
      ]),
    certificates: certificateSourceCheck,
    groups: texts,
    host: text,
    port: integer(0, 65_535),
    clientCa: certificatePem,
    http2: flag,
  }
  checkOptions('webhooks', options, checks, ['service', 'certificates'])
}

/** The name of a webhook is a part of its name in the configuration, and of its path. @throws OptionTypeError, OptionRangeError */
export function checkWebhookName(name: unknown): void {
  dnsLabel('webhook.name', name)
}
