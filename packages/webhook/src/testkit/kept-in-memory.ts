import type { Environment, MetricLabels } from '@wherry/client'
import {
  type ValidatingWebhookConfiguration,
  validatingWebhookConfigurations,
} from '@wherry/client/resources/admissionregistration'
import { namespaces, services } from '@wherry/client/resources/core'
import { configurationHolder } from '../bundles/configuration-holder.ts'
import type { ManagedCertificates } from '../certificates/managed.ts'
import type { CertificateOptions } from '../certificates/options.ts'
import { certificatesFor } from '../certificates-for.ts'
import { KeptTrust } from '../kept-trust.ts'
import { nameSuffix } from '../scope/configurations.ts'
import type { CertificateSource } from '../server/certificates.ts'
import { games } from './games.ts'
import { type InMemory, inMemory } from './in-memory.ts'

/** How long serving certificates live there, in milliseconds. */
export const servingLifeMs = 3_600_000

/** The trust in the webhooks of an operator, on simulated time, with a configuration that a manifest has put on the server. */
export interface KeptInMemory extends InMemory {
  readonly certificates: ManagedCertificates
  readonly trust: KeptTrust
  /** What a gauge was set to last, by its name and its labels, as `name` or `name {"a":"b"}`; a gauge that was forgotten is not there. */
  readonly gauges: ReadonlyMap<string, number>
  /** Starts both, and waits until nothing is left to do now. */
  start(): Promise<void>
  /** Starts the trust of another process of the operator; it stops with the test. */
  startAgain(): Promise<void>
  /** Gives the only webhook this bundle. */
  reset(caBundle: string): Promise<unknown>
  live(): Promise<ValidatingWebhookConfiguration>
}

/** What differs from a configuration of a manifest, and from serving certificates that live for an hour. */
export interface KeptOptions {
  /** `apply`: the operator applies its configuration, and nothing is on the server before. */
  readonly configurations?: 'apply' | 'manifest'
  readonly certificates?: CertificateOptions | CertificateSource
  /** Whether the Service of the webhooks exists. @default true */
  readonly hasService?: boolean
  /** What the environment has in place of the simulated one's. */
  readonly own?: Partial<Environment>
}

export async function keptInMemory(
  body: (parts: KeptInMemory) => Promise<void>,
  {
    configurations = 'manifest',
    certificates: lives = { servingLifeMs },
    own = {},
    hasService = true,
  }: KeptOptions = {},
): Promise<void> {
  const gauges = new Map<string, number>()
  const series = (name: string, labels?: MetricLabels): string =>
    [name, labels && JSON.stringify(labels)].join(' ').trim()
  const metrics: Environment['metrics'] = {
    count: () => {},
    observe: () => {},
    gauge: (name, value, labels) => void gauges.set(series(name, labels), value),
    forget: (name, labels) => void gauges.delete(series(name, labels)),
  }
  await inMemory(
    async parts => {
      const { webhooks, operator, client } = parts
      const service = { namespace: 'arcade-system', name: 'arcade' }
      const options = { service, configurations, certificates: lives }
      webhooks
        .webhook('limits')
        .for(games)
        .validate(() => {})
      const declared = webhooks.configurations()
      const name = { name: 'arcade' }
      await client.create(namespaces, { metadata: { name: service.namespace } })
      if (hasService)
        await client.create(services, {
          metadata: { ...service },
          spec: { ports: [{ port: 443, targetPort: 9443 }] },
        } as never)
      if (configurations === 'manifest')
        for (const one of declared) await client.create(validatingWebhookConfigurations, one as never)
      const certificates = certificatesFor(operator, service, options)
      const trust = new KeptTrust(operator, certificates, options)
      const holders = () => declared.map(one => configurationHolder(one, nameSuffix(operator.name)))
      const start = async (): Promise<void> => {
        await certificates.start()
        await trust.start(holders())
      }
      const others: KeptTrust[] = []
      const startAgain = async (): Promise<void> => {
        const other = new KeptTrust(operator, certificates, options)
        others.push(other)
        await other.start(holders())
      }
      const reset = (value: string): Promise<unknown> =>
        client.patch(validatingWebhookConfigurations, name, [
          { op: 'add', path: '/webhooks/0/clientConfig/caBundle', value },
        ])
      const live = async (): Promise<ValidatingWebhookConfiguration> =>
        (await client.get(validatingWebhookConfigurations, name)) as ValidatingWebhookConfiguration
      try {
        await body({ ...parts, certificates, trust, gauges, start, startAgain, reset, live })
      } finally {
        for (const one of others) await one.stop()
        await trust.stop()
      }
    },
    { metrics, ...own },
  )
}
