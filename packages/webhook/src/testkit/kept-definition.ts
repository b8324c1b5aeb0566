import {
  type CustomResourceConversion,
  type CustomResourceDefinition,
  customResourceDefinitions,
} from '@wherry/client/resources/apiextensions'
import { namespaces, services } from '@wherry/client/resources/core'
import { inBundle } from '../bundles/bundle.ts'
import { definitionHolder } from '../bundles/definition-holder.ts'
import { certificatesFor } from '../certificates-for.ts'
import { KeptTrust } from '../kept-trust.ts'
import { levelDefinition, levelsName } from './conversion/definition.ts'
import { levelConversion } from './conversion/levels.ts'
import { type InMemory, inMemory } from './in-memory.ts'

/** The trust in the conversion of an operator, on simulated time. The definition is another's, and has none at first. */
export interface KeptDefinition extends InMemory {
  readonly trust: KeptTrust
  /** How many answers of each status the operator and its test have got, such as 422. */
  readonly answers: ReadonlyMap<string, number>
  start(): Promise<void>
  define(): Promise<unknown>
  /** Takes the conversion away, as a manifest without one does that takes the place of the definition. */
  reset(): Promise<unknown>
  live(): Promise<CustomResourceDefinition | undefined>
  conversion(): Promise<CustomResourceConversion | undefined>
  /** The fingerprints of the bundle. */
  bundle(): Promise<readonly string[]>
}

export async function keptDefinition(body: (parts: KeptDefinition) => Promise<void>): Promise<void> {
  const answers = new Map<string, number>()
  const count = (name: string, { code = '' }: Readonly<Record<string, string>> = {}): void => {
    if (name === 'rest_client_requests_total') answers.set(code, (answers.get(code) ?? 0) + 1)
  }
  await inMemory(
    async parts => {
      const { webhooks, operator, client } = parts
      const service = { namespace: 'arcade-system', name: 'arcade' }
      webhooks.convert(levelConversion())
      await client.create(namespaces, { metadata: { name: service.namespace } })
      const ports = [{ port: 443, targetPort: 9443 }]
      await client.create(services, { metadata: { ...service }, spec: { ports } } as never)
      const options = { service, configurations: 'apply' } as const
      const certificates = certificatesFor(operator, service, options)
      const trust = new KeptTrust(operator, certificates, options)
      const start = async (): Promise<void> => {
        await certificates.start()
        await trust.start(webhooks.conversions().map(one => definitionHolder(one)))
      }
      const live = async (): Promise<CustomResourceDefinition | undefined> =>
        client.get(customResourceDefinitions, levelsName)
      const define = (): Promise<unknown> => client.create(customResourceDefinitions, levelDefinition('v1'))
      const reset = async (): Promise<unknown> => {
        const { spec, ...rest } = (await live()) as CustomResourceDefinition
        const changed = { ...rest, spec: { ...spec, conversion: { strategy: 'None' } } }
        return client.update(customResourceDefinitions, changed as never, { fieldManager: 'gitops' })
      }
      const conversion = async (): Promise<CustomResourceConversion | undefined> => (await live())?.spec.conversion
      const bundle = async (): Promise<readonly string[]> => [
        ...inBundle((await conversion())?.webhook?.clientConfig?.caBundle).keys(),
      ]
      try {
        await body({ ...parts, trust, answers, start, define, reset, live, conversion, bundle })
      } finally {
        await trust.stop()
      }
    },
    { metrics: { count, observe: () => {}, gauge: () => {} } },
  )
}
