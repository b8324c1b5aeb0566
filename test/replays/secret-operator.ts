import { secrets } from '@wherry/client/resources/core'
import type { Operator } from '@wherry/controller'
import { type OwnKind, ownKind } from './objects/own-kind.ts'
import type { Way } from './replay.ts'

/** Names the Secret that it needs. */
export const certificates: OwnKind<{ readonly secretName: string }> = ownKind('certificates.example.com', 'Certificate')

/** Reads the Secret of each Certificate by its name: it runs again when that Secret changes. */
function addCertificates(operator: Operator): void {
  operator
    .controller('certificate')
    .for(certificates.view)
    .reconcile(async ({ object: { spec }, read, log }) => {
      const found = await read.get(secrets, { name: spec.secretName })
      log.info({ keys: Object.keys(found?.data ?? {}).length }, 'read')
    })
}

/** The same, and runs a Certificate again when a Secret of its name changes that is no Certificate's yet. */
function addCertificatesWithMetadata(operator: Operator): void {
  operator
    .controller('certificate')
    .for(certificates.view)
    .watches(secrets.metadata(), ({ metadata }) => ({ namespace: metadata.namespace ?? '', name: metadata.name ?? '' }))
    .reconcile(async ({ object: { spec }, read, log }) => {
      const found = await read.get(secrets, { name: spec.secretName })
      log.info({ keys: Object.keys(found?.data ?? {}).length }, 'read')
    })
}

/** The operator that reads by name, and the one that holds the metadata of `others` Secrets as well. */
export function secretWays(bar: Way['bar'], others: number): Way[] {
  return [
    {
      name: 'one by name',
      holds: 'the Secret that is needed',
      declare: addCertificates,
      bar,
      keeps: { objects: 2, receivedBytes: 5400 },
    },
    {
      name: 'metadata of all',
      holds: 'that Secret, and the metadata of all',
      declare: addCertificatesWithMetadata,
      bar,
      keeps: { objects: others + 3, receivedBytes: 5400 + others * 240 },
    },
  ]
}
