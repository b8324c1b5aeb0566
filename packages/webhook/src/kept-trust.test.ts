import { validatingWebhookConfigurations } from '@wherry/client/resources/admissionregistration'
import type { Operator } from '@wherry/controller'
import { simulate } from '@wherry/testing'
import { describe, expect, it } from 'vitest'
import { bundleOf, inBundle } from './bundles/bundle.ts'
import { newAuthority } from './certificates/authority.ts'
import { GivenCertificates } from './certificates/given-certificates.ts'
import { KeptTrust } from './kept-trust.ts'
import { keptInMemory } from './testkit/kept-in-memory.ts'

const dayMs = 86_400_000
const resource = 'validatingwebhookconfigurations.admissionregistration.k8s.io'
const expiry = 'wherry_webhook_certificate_expiry_seconds'
const age = 'wherry_webhook_bundle_age_seconds {"configuration":"ValidatingWebhookConfiguration arcade"}'

describe('the trust in webhooks', () => {
  it('B3: holds readiness until the serving certificate is of an authority in each bundle that the server has', () =>
    keptInMemory(async ({ certificates, trust, server, simulation, start, reset, live }) => {
      const refuse = { match: { resource, verb: 'patch' }, effect: { kind: 'status', code: 503 } } as const
      let refused = await server.faults.add(refuse)
      const state = (): string => {
        try {
          trust.checkReady()
          return 'ready'
        } catch (error) {
          return (error as Error).message
        }
      }
      const waits = 'the serving certificate is of no authority in caBundle of ValidatingWebhookConfiguration arcade'
      await start()
      await simulation.advance(60_000)
      expect(state()).toBe(waits)
      await refused.remove()
      await simulation.advance(60_000)
      expect(state()).toBe('ready')
      // A bundle of another operator, whole as it is, is not trust in this one.
      const now = simulation.clock.now()
      const others = [newAuthority(now, now + dayMs), newAuthority(now, now + 2 * dayMs)].map(({ cert }) => cert)
      refused = await server.faults.add({ ...refuse, nth: 2, times: 1_000 })
      await reset(bundleOf(others))
      await simulation.advance(60_000)
      expect(state()).toBe(waits)
      await refused.remove()
      await simulation.advance(60_000)
      expect(state()).toBe('ready')
      const { webhooks = [] } = await live()
      expect([...inBundle(webhooks[0]?.clientConfig.caBundle).values()].map(({ cert }) => cert)).toEqual(
        certificates.authorities,
      )
    }))

  it('B3: holds readiness until a configuration of a manifest is on the server, and says which one is not', () =>
    keptInMemory(async ({ trust, simulation, client, start, live }) => {
      const manifest = await live()
      await client.delete(validatingWebhookConfigurations, { name: 'arcade' })
      await start()
      await simulation.advance(60_000)
      expect(() => trust.checkReady()).toThrow(
        'ValidatingWebhookConfiguration arcade has no webhook of this operator on the server: apply its manifest',
      )
      const { webhooks } = manifest
      await client.create(validatingWebhookConfigurations, { metadata: { name: 'arcade' }, webhooks } as never)
      await simulation.advance(60_000)
      expect(() => trust.checkReady()).not.toThrow()
    }))

  it('B3: is measured: the life of the serving certificate, and the age of the bundles', () =>
    keptInMemory(async ({ trust, gauges, simulation, client, start, reset }) => {
      const gauge = (name: string): number => Math.round((gauges.get(name) ?? Number.NaN) / 10) * 10
      await start()
      expect([gauge(expiry), gauge(age)]).toEqual([3600, Number.NaN])
      await simulation.advance(300_000)
      expect([gauge(expiry), gauge(age)]).toEqual([3300, 300])
      // The reset and its mending are both changes.
      await reset('')
      await simulation.advance(100_000)
      expect([gauge(expiry), gauge(age)]).toEqual([3200, 100])
      // At half of its life the serving certificate is replaced. That is no change of a bundle.
      await simulation.advance(1_500_000)
      expect([gauge(expiry), gauge(age)]).toEqual([3500, 1600])
      await client.delete(validatingWebhookConfigurations, { name: 'arcade' })
      await simulation.advance(20_000)
      expect([...gauges.keys()].filter(name => name.startsWith('wherry_webhook'))).toEqual([expiry])
      await trust.stop()
      expect([...gauges.keys()].filter(name => name.startsWith('wherry_webhook'))).toEqual([])
    }))
})

it('reports once that a source gives no certificate, and goes on measuring', async () => {
  const { clock, environment: simulated, advance } = simulate(1)
  const { cert } = newAuthority(clock.now(), clock.now() + dayMs)
  const errors: string[] = []
  const gauges: string[] = []
  const environment = {
    ...simulated,
    onError: ({ message }: Error) => void errors.push(message),
    metrics: { count() {}, gauge: (name: string) => void gauges.push(name), observe() {} },
  }
  let isBroken = false
  const source = {
    current: () => {
      if (isBroken) throw new Error('no certificate now')
      return { cert, key: '' }
    },
    onChange: () => () => {},
  }
  const options = { service: { namespace: 'arcade-system', name: 'arcade' }, certificates: source }
  const operator = { name: 'arcade', client: { environment } } as unknown as Operator
  const trust = new KeptTrust(operator, new GivenCertificates(source), options)
  await trust.start([])
  isBroken = true
  await advance(30_000)
  isBroken = false
  await advance(10_000)
  await trust.stop()
  expect(errors).toEqual(['no certificate now'])
  expect(gauges).toEqual([expiry, expiry])
})
