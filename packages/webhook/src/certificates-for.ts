import type { Operator } from '@wherry/controller'
import { FileCertificates } from './certificates/certificate-files.ts'
import { GivenCertificates } from './certificates/given-certificates.ts'
import type { ManagedCertificates } from './certificates/managed.ts'
import { type CertificateOptions, livesOf } from './certificates/options.ts'
import { OwnCertificates } from './certificates/own-certificates.ts'
import type { WebhooksOptions } from './options.ts'
import type { WebhookService } from './scope/configurations.ts'
import type { CertificateSource } from './server/certificates.ts'

/** The certificates that the options ask for. */
export function certificatesFor(
  { name: operator, client, narrow }: Operator,
  { namespace, name }: WebhookService,
  { certificates = {}, address }: WebhooksOptions,
): ManagedCertificates {
  if (isSource(certificates)) return new GivenCertificates(certificates)
  if (certificates.files !== undefined) return new FileCertificates(certificates.files, client.environment)
  const ofService = `${name}.${namespace}.svc`
  const others = [...(certificates.names ?? []), ...(address === undefined ? [] : [address])]
  return new OwnCertificates({
    ...{ client, narrow, fieldManager: `${operator}/webhooks`, lives: livesOf(certificates) },
    secret: { namespace, name: `${operator}-webhook-authorities` },
    names: [...new Set([ofService, `${ofService}.cluster.local`, ...others])],
  })
}

/** Whether the option is a user's own source of certificates. */
export function isSource(certificates: CertificateOptions | CertificateSource): certificates is CertificateSource {
  return 'current' in certificates
}
