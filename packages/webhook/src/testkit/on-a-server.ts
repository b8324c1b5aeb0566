import { createCertificateAuthority } from '@wherry/apiserver/front/certificates'
import { Client } from '@wherry/client'
import {
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from '@wherry/client/resources/admissionregistration'
import { customResourceDefinitions } from '@wherry/client/resources/apiextensions'
import { Operator } from '@wherry/controller'
import type { ApiServer } from '@wherry/testing'
import { vi } from 'vitest'
import type { WebhooksOptions } from '../options.ts'
import type { WebhookConfiguration } from '../scope/configurations.ts'
import type { CertificateSource } from '../server/certificates.ts'
import { Webhooks } from '../webhooks.ts'
import { games } from './games.ts'

/** Waits on real time until nothing is thrown any more. */
export const until = <T>(holds: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(holds, { interval: 20, timeout: 60_000 })

/** A source with certificates of one authority for 127.0.0.1, and what a bundle needs. */
export interface TestCertificates extends CertificateSource {
  readonly caPem: string
  /** Takes another certificate of the same authority. */
  renew(): void
  /** How many listeners there are. */
  readonly listeners: number
}

export async function testCertificates(): Promise<TestCertificates> {
  const authority = createCertificateAuthority()
  const issue = (): { cert: string; key: string } => {
    const { certPem, keyPem } = authority.issueServer()
    return { cert: certPem, key: keyPem }
  }
  let now = issue()
  const listeners = new Set<() => void>()
  return {
    caPem: authority.caPem,
    current: () => now,
    onChange: listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    renew: () => {
      now = issue()
      for (const listener of [...listeners]) listener()
    },
    get listeners() {
      return listeners.size
    },
  }
}

/** Webhooks of an operator that runs on a server. */
export interface Served {
  readonly webhooks: Webhooks
  readonly operator: Operator
  readonly client: Client
  readonly certificates: TestCertificates
  readonly errors: Error[]
  /** Runs the operator, and gives the server the configurations. Resolves when it calls the webhooks. */
  start(): Promise<void>
  /** Takes the configurations away. */
  unconfigure(): Promise<void>
  /** Ends the operator. The configurations stay. */
  stop(): Promise<void>
}

/** Has an operator with webhooks on a server that knows games, and takes all away at the end. */
export async function served(
  { url, ca, token }: ApiServer,
  body: (served: Served) => Promise<void>,
  options: Partial<WebhooksOptions> = {},
): Promise<void> {
  const errors: Error[] = []
  const client = new Client({ url, ca, token, environment: { onError: error => void errors.push(error) } })
  const operator = new Operator({ name: 'arcade', client })
  const certificates = await testCertificates()
  const service = { namespace: 'arcade-system', name: 'arcade' }
  const own = {
    service,
    certificates,
    groups: ['arcade.example.com'],
    host: '127.0.0.1',
    port: 0,
    configurations: 'manifest' as const,
  }
  const webhooks = new Webhooks(operator, { ...own, ...options })
  const end = new AbortController()
  let running: Promise<unknown> = Promise.resolve()
  const stop = async (): Promise<void> => {
    end.abort(new Error('enough'))
    await running
  }
  const start = async (): Promise<void> => {
    running = operator.run({ signal: end.signal, signals: false })
    running.catch(() => {})
    await until(() => {
      if (webhooks.port === 0 || operator.state !== 'running') throw new Error('it does not listen')
    })
    await defineGames(client)
    await until(() => client.list(games))
    for (const one of webhooks.configurations())
      await configure(client, reaching(one, webhooks.port, certificates.caPem))
  }
  const unconfigure = async (): Promise<void> => {
    await client.delete(validatingWebhookConfigurations, { name: 'arcade' })
    await client.delete(mutatingWebhookConfigurations, { name: 'arcade' })
  }
  try {
    await body({ webhooks, operator, client, certificates, errors, start, unconfigure, stop })
  } finally {
    await unconfigure()
    await stop()
    await operator.close()
    await client.close()
  }
}

/** A configuration that leads to this machine and not to a Service. */
function reaching(configuration: WebhookConfiguration, port: number, caPem: string): WebhookConfiguration {
  const caBundle = Buffer.from(caPem).toString('base64')
  const webhooks = configuration.webhooks?.map(one => {
    const url = `https://127.0.0.1:${port}${one.clientConfig.service?.path}`
    return { ...one, clientConfig: { url, caBundle } }
  })
  return { ...configuration, webhooks } as WebhookConfiguration
}

/** Creates a configuration. */
export async function configure(client: Client, configuration: WebhookConfiguration): Promise<void> {
  const { kind } = configuration
  if (kind === 'MutatingWebhookConfiguration')
    await client.create(mutatingWebhookConfigurations, configuration as never)
  else await client.create(validatingWebhookConfigurations, configuration as never)
}

/** Defines games, with the subresources status and scale. A moment later the server serves them. */
export async function defineGames(client: Client): Promise<void> {
  const { group, version, kind, plural } = games.resource
  const name = `${plural}.${group}`
  const isThere = await client.get(customResourceDefinitions, { name })
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } }
  const scale = { specReplicasPath: '.spec.players', statusReplicasPath: '.status.players' }
  if (isThere === undefined)
    await client.create(customResourceDefinitions, {
      metadata: { name },
      spec: {
        group,
        scope: 'Namespaced',
        names: { kind, plural, singular: 'game', listKind: 'GameList' },
        versions: [{ name: version, served: true, storage: true, schema, subresources: { status: {}, scale } }],
      },
    } as never)
}
