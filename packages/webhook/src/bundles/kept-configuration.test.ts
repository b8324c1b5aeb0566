import type { LogFields } from '@wherry/client'
import { validatingWebhookConfigurations } from '@wherry/client/resources/admissionregistration'
import { secrets, services } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { newAuthority } from '../certificates/authority.ts'
import { newLeaf } from '../certificates/leaf.ts'
import { dataOf } from '../certificates/stored-pair.ts'
import { type KeptInMemory, keptInMemory } from '../testkit/kept-in-memory.ts'
import { bundleOf, inBundle } from './bundle.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000
const resource = 'validatingwebhookconfigurations.admissionregistration.k8s.io'
const configuration = 'ValidatingWebhookConfiguration arcade'
const key = { name: 'arcade' }
const secretKey = { namespace: 'arcade-system', name: 'arcade-webhook-authorities' }
const full = validatingWebhookConfigurations.full()

/** PEM of the certificates in the bundle of each webhook, by the webhook's name. */
async function bundles({ live }: KeptInMemory): Promise<Record<string, string[]>> {
  const { webhooks = [] } = await live()
  return Object.fromEntries(
    webhooks.map(({ name, clientConfig }) => [
      name,
      [...inBundle(clientConfig.caBundle).values()].map(({ cert }) => cert),
    ]),
  )
}

const whole = ({ certificates }: KeptInMemory): Record<string, readonly string[]> => ({
  'limits.arcade.webhooks.wherry.dev': certificates.authorities ?? [],
})

/** Why the trust is not ready; `ready` if it is. */
function state({ trust }: KeptInMemory): string {
  try {
    trust.checkReady()
    return 'ready'
  } catch (error) {
    return (error as Error).message
  }
}

describe('a configuration that the operator applies', () => {
  it('B3: is on the server with its bundle, which a manager of its own owns', async () => {
    const written: (LogFields | undefined)[] = []
    await keptInMemory(
      async parts => {
        const { client, simulation, start } = parts
        await start()
        await simulation.advance(100)
        expect(await bundles(parts)).toEqual(whole(parts))
        const live = await client.get(full, key)
        const owners = live?.metadata.managedFields?.map(({ manager, operation, fieldsV1 }) => [
          manager,
          operation,
          ...['f:caBundle', 'f:sideEffects'].map(field => JSON.stringify(fieldsV1).includes(field)),
        ])
        expect(owners?.toSorted()).toEqual([
          ['arcade/webhook-bundle', 'Apply', true, false],
          ['arcade/webhooks', 'Apply', false, true],
        ])
        expect(written).toEqual([{ configuration }])
        expect([state(parts), simulation.environment.errors, simulation.environment.warnings]).toEqual([
          'ready',
          [],
          [],
        ])
        // Nothing is left to write.
        const { resourceVersion } = live?.metadata ?? {}
        await simulation.advance(720_000)
        expect((await client.get(full, key))?.metadata.resourceVersion).toBe(resourceVersion)
      },
      {
        configurations: 'apply',
        own: {
          log: (_level, message, fields) =>
            void (message === 'the bundles of the webhooks were written' && written.push(fields)),
        },
      },
    )
  })

  it('B3: is never on the server with a webhook that has no bundle', () =>
    keptInMemory(
      async parts => {
        const { client, operator, simulation, start } = parts
        const seen: unknown[] = []
        const note = (one: { webhooks?: { clientConfig: { caBundle?: string } }[] }): void =>
          void seen.push(...(one.webhooks ?? []).map(({ clientConfig }) => inBundle(clientConfig.caBundle).size))
        const watch = await operator.narrow.watch(full, key, { add: note, update: note } as never)
        await start()
        await simulation.advance(1000)
        await client.patch(full, key, { metadata: { labels: { a: '1' } } })
        await simulation.advance(1000)
        expect(new Set(seen)).toEqual(new Set([2]))
        await watch.close()
      },
      { configurations: 'apply' },
    ))

  it('B3: is not written by a start that changes nothing, and has its bundle through one that follows a start which broke off', () =>
    keptInMemory(
      async parts => {
        const { client, operator, simulation, start, startAgain, live } = parts
        await start()
        await simulation.advance(1000)
        const first = await live()
        await startAgain()
        await simulation.advance(1000)
        expect((await live()).metadata?.resourceVersion).toBe(first.metadata?.resourceVersion)
        // As if a start had broken off after its first request: the manager of the rest owns the bundle too.
        const { metadata: _, ...whole } = first
        await client.apply(full, { ...whole, metadata: key } as never, { fieldManager: 'arcade/webhooks', force: true })
        const seen: number[] = []
        const note = (one: { webhooks?: { clientConfig: { caBundle?: string } }[] }): void =>
          void seen.push(...(one.webhooks ?? []).map(({ clientConfig }) => inBundle(clientConfig.caBundle).size))
        const watch = await operator.narrow.watch(full, key, { add: note, update: note } as never)
        await client.apply(full, { webhooks: [], metadata: key } as never, {
          ...{ fieldManager: 'arcade/webhook-bundle', force: true },
        })
        await startAgain()
        await simulation.advance(1000)
        expect(new Set(seen)).toEqual(new Set([2]))
        const owners = (await client.get(full, key))?.metadata.managedFields?.filter(({ fieldsV1 }) =>
          JSON.stringify(fieldsV1).includes('f:caBundle'),
        )
        expect(owners?.map(({ manager }) => manager)).toEqual(['arcade/webhook-bundle'])
        await watch.close()
      },
      { configurations: 'apply' },
    ))

  it('B3: loses a webhook that the program no longer has, and keeps what others have in it', () =>
    keptInMemory(
      async parts => {
        const { client, simulation, start, live } = parts
        const bundle = bundleOf([newAuthority(simulation.clock.now(), simulation.clock.now() + dayMs).cert])
        const of = (name: string): object => ({
          ...{ name, admissionReviewVersions: ['v1'], sideEffects: 'None' },
          clientConfig: { url: 'https://10.0.0.1/a', caBundle: bundle },
        })
        const old = 'old.arcade.webhooks.wherry.dev'
        const others = 'limits.other.example.com'
        const options = (manager: string): object => ({ fieldManager: manager, force: true })
        const apply = (manager: string, webhooks: object[]): Promise<unknown> =>
          client.apply(full, { metadata: key, webhooks } as never, options(manager))
        const { clientConfig: _, ...bare } = of(old) as { clientConfig: object }
        await apply('arcade/webhooks', [{ ...bare, clientConfig: { url: 'https://10.0.0.1/a' } }])
        await apply('arcade/webhook-bundle', [{ name: old, clientConfig: { caBundle: bundle } }])
        await apply('gitops', [of(others)])
        await start()
        await simulation.advance(1000)
        const { webhooks = [] } = await live()
        expect(webhooks.map(({ name }) => name).toSorted()).toEqual(
          [others, 'limits.arcade.webhooks.wherry.dev'].toSorted(),
        )
        expect(webhooks.find(({ name }) => name === others)?.clientConfig.caBundle).toBe(bundle)
        expect(state(parts)).toBe('ready')
      },
      { configurations: 'apply' },
    ))

  it('B3: is applied later if the server refuses it, and holds readiness until then', () =>
    keptInMemory(
      async parts => {
        const { server, simulation, start } = parts
        const effect = { kind: 'status', code: 503 } as const
        const fault = await server.faults.add({ match: { resource, verb: 'patch' }, effect })
        await start()
        await simulation.advance(10_000)
        expect(state(parts)).toBe(`${configuration} is not applied yet`)
        const { errors } = simulation.environment
        expect(new Set(errors.map(({ context }) => context.phase))).toEqual(new Set(['webhook-bundles']))
        await fault.remove()
        await simulation.advance(20_000)
        expect([state(parts), await bundles(parts)]).toEqual(['ready', whole(parts)])
      },
      { configurations: 'apply' },
    ))

  it('B3: is made again if somebody deletes it, and that is said', () =>
    keptInMemory(
      async parts => {
        const { client, simulation, start } = parts
        await start()
        await simulation.advance(1000)
        await client.delete(validatingWebhookConfigurations, key)
        await simulation.advance(1000)
        expect(await bundles(parts)).toEqual(whole(parts))
        expect(state(parts)).toBe('ready')
        expect(simulation.environment.warnings.map(({ message }) => message)).toEqual([
          'a configuration of the webhooks was deleted, and is made again',
        ])
      },
      { configurations: 'apply' },
    ))

  it.each([1, 2, 3])('B3: is made again if somebody deletes it while the answer to request %i is on its way', nth =>
    keptInMemory(
      async parts => {
        const { client, server, simulation, start } = parts
        const effect = { kind: 'delay', ms: 500 } as const
        await server.faults.add({ match: { resource, verb: 'patch' }, nth, effect })
        await start()
        await simulation.advance(100)
        await client.delete(validatingWebhookConfigurations, key)
        await simulation.advance(5000)
        expect(await bundles(parts)).toEqual(whole(parts))
        expect([state(parts), simulation.environment.errors]).toEqual(['ready', []])
      },
      { configurations: 'apply' },
    ),
  )

  it('B3: is applied again if somebody changes it while the answer to the last request is on its way', () =>
    keptInMemory(
      async parts => {
        const { client, server, simulation, start, live } = parts
        const effect = { kind: 'delay', ms: 500 } as const
        await server.faults.add({ match: { resource, verb: 'patch' }, nth: 3, effect })
        await start()
        await simulation.advance(100)
        const { webhooks = [], ...rest } = await live()
        const changed = { ...rest, webhooks: webhooks.map(one => ({ ...one, failurePolicy: 'Ignore' })) }
        await client.update(validatingWebhookConfigurations, changed as never)
        await simulation.advance(5000)
        expect((await live()).webhooks?.map(({ failurePolicy }) => failurePolicy)).toEqual(['Fail'])
      },
      { configurations: 'apply' },
    ))

  it('B3: is not written while its Service does not exist: that is said once, and holds readiness', () =>
    keptInMemory(
      async parts => {
        const { client, simulation, start } = parts
        const { errors } = simulation.environment
        const service = { namespace: 'arcade-system', name: 'arcade' }
        await start()
        await simulation.advance(60_000)
        expect(errors).toEqual([
          {
            error: expect.objectContaining({ code: 'SERVICE_MISSING', service: 'arcade-system/arcade' }),
            context: { phase: 'webhook-service', key: 'arcade-system/arcade' },
          },
        ])
        expect(state(parts)).toContain('the Service arcade-system/arcade does not exist')
        expect(await client.get(full, key)).toBeUndefined()
        await client.create(services, { metadata: service, spec: { ports: [{ port: 443 }] } } as never)
        await simulation.advance(6000)
        expect([state(parts), await bundles(parts)]).toEqual(['ready', whole(parts)])
        // The next time is said again.
        await client.delete(services, service)
        await client.delete(validatingWebhookConfigurations, key)
        await simulation.advance(20_000)
        expect(await client.get(full, key)).toBeUndefined()
        expect(errors).toHaveLength(2)
      },
      { configurations: 'apply', hasService: false },
    ))
})

describe('a bundle', () => {
  it('B3: is left to the program if the certificate is its own, and holds readiness until it is right', () => {
    const now = Date.UTC(2026, 0, 1)
    const authority = newAuthority(now, now + 400 * dayMs)
    const leaf = newLeaf(authority, ['arcade.arcade-system.svc'], now, 300 * dayMs)
    return keptInMemory(
      async parts => {
        const { client, simulation, start, live, reset } = parts
        await start()
        await simulation.advance(1000)
        expect(state(parts)).toBe(`the serving certificate is of no authority in caBundle of ${configuration}`)
        expect((await live()).webhooks?.map(({ clientConfig }) => clientConfig.caBundle)).toEqual([undefined])
        for (const pem of [authority.cert, newAuthority(now, now + dayMs).cert]) {
          await reset(bundleOf([pem]))
          await simulation.advance(2 * hourMs)
          expect(Object.values(await bundles(parts))).toEqual([[pem]])
          expect(state(parts) === 'ready').toBe(pem === authority.cert)
        }
        const managers = (await client.get(full, key))?.metadata.managedFields?.map(({ manager }) => manager)
        expect(managers).not.toContain('arcade/webhook-bundle')
        expect([simulation.environment.errors, simulation.environment.warnings]).toEqual([[], []])
      },
      { configurations: 'apply', certificates: { current: () => leaf, onChange: () => () => {} } },
    )
  })

  it('B3: that somebody removes is mended, too, and the warning names the manager that wrote last', () =>
    keptInMemory(async parts => {
      const { client, simulation, start } = parts
      await start()
      await simulation.advance(1000)
      for (const fieldManager of ['zeta', 'alpha']) {
        // An owner of only a label of it is not meant, though it wrote before.
        await client.patch(full, key, { metadata: { labels: { by: fieldManager } } }, { fieldManager: 'labels' })
        await simulation.advance(2000)
        const remove = { op: 'remove', path: '/webhooks/0/clientConfig/caBundle' } as const
        const add = { op: 'add', path: '/metadata/annotations', value: { by: fieldManager } } as const
        await client.patch(full, key, [remove, add], { fieldManager })
        await simulation.advance(2000)
        expect(await bundles(parts)).toEqual(whole(parts))
      }
      expect(simulation.environment.warnings.map(({ context }) => context?.managers)).toEqual(['zeta', 'alpha'])
    }))

  it('B3: that somebody resets is mended, and a warning says which one and by which manager', () =>
    keptInMemory(async parts => {
      const { simulation, start, reset } = parts
      await start()
      await simulation.advance(100)
      await reset('')
      await simulation.advance(100)
      expect(await bundles(parts)).toEqual(whole(parts))
      const { warnings } = simulation.environment
      expect(warnings).toEqual([
        {
          message: 'a bundle of the webhooks was reset, and is mended',
          context: { configuration, managers: expect.stringMatching(/^[^/]+$/) },
        },
      ])
      expect(simulation.environment.errors).toEqual([])
    }))

  it('B3: that is reset again and again is mended ever later, and the fight is named once until two quiet minutes', () =>
    keptInMemory(async parts => {
      const { client, certificates, simulation, start } = parts
      const { clock, environment } = simulation
      const webhook = 'limits.arcade.webhooks.wherry.dev'
      const now = clock.now()
      const stranger = bundleOf([newAuthority(now, now + dayMs).cert])
      const takes: number[] = []
      const fight = async (stepMs: number): Promise<void> => {
        const webhooks = [{ name: webhook, clientConfig: { caBundle: stranger } }]
        await client.apply(full, { metadata: key, webhooks } as never, { fieldManager: 'gitops', force: true })
        const begun = clock.monotonic()
        const isMended = async (): Promise<boolean> =>
          (await bundles(parts))[webhook]?.join() === certificates.authorities?.join()
        while (!(await isMended()) && clock.monotonic() - begun < 10_000) await simulation.advance(stepMs)
        takes.push(clock.monotonic() - begun)
      }
      await start()
      await simulation.advance(100)
      for (const stepMs of [5, 5, 50, 50]) await fight(stepMs)
      expect(environment.errors).toEqual([])
      for (let round = 4; round < 10; round += 1) await fight(50)
      const message =
        `the manager gitops resets caBundle of ${configuration} again and again, so the API server refuses the webhooks ` +
        'until it is mended: remove caBundle from the manifest'
      const named = {
        error: expect.objectContaining({ message }),
        context: { phase: 'webhook-bundles', key: configuration },
      }
      expect(environment.errors).toEqual([named])
      expect(new Set(environment.warnings.map(({ context }) => context?.managers))).toEqual(new Set(['gitops']))
      expect(environment.warnings).toHaveLength(10)
      expect(takes[0]).toBeLessThanOrEqual(20)
      expect(takes[1]).toBeGreaterThanOrEqual(50)
      expect(takes[1]).toBeLessThanOrEqual(120)
      expect(takes.at(-1)).toBeGreaterThanOrEqual(2500)
      expect(Math.max(...takes)).toBeLessThanOrEqual(5060)
      await simulation.advance(110_000)
      await fight(50)
      expect(takes.at(-1)).toBeGreaterThanOrEqual(2500)
      await simulation.advance(121_000)
      for (const stepMs of [5, 50, 50, 50]) await fight(stepMs)
      expect(takes.at(-4)).toBeLessThanOrEqual(20)
      expect(environment.errors).toEqual([named])
      await fight(50)
      expect(environment.errors).toEqual([named, named])
    }))

  it('B3: keeps a certificate that somebody added for an hour, and not for longer', () =>
    keptInMemory(async parts => {
      const { certificates, simulation, start, reset } = parts
      const now = simulation.clock.now()
      const stranger = newAuthority(now, now + dayMs).cert
      await start()
      await simulation.advance(100)
      await reset(bundleOf([stranger, ...(certificates.authorities ?? [])]))
      await simulation.advance(hourMs - 1000)
      expect(Object.values(await bundles(parts))).toEqual([[stranger, ...(certificates.authorities ?? [])]])
      expect(simulation.environment.warnings).toEqual([])
      await simulation.advance(2000)
      expect(await bundles(parts)).toEqual(whole(parts))
    }))

  it('B3: has the authorities of a Secret that was replaced by hand at once, and a new one signs ten seconds later', () =>
    keptInMemory(async parts => {
      const { certificates, client, simulation, start } = parts
      await start()
      await simulation.advance(60_000)
      const before = certificates.authorities ?? []
      const { cert } = certificates.current()
      const now = simulation.clock.now()
      const others = [newAuthority(now, now + 225 * dayMs), newAuthority(now, now + 405 * dayMs)] as const
      await client.patch(secrets, secretKey, { data: dataOf(others) })
      await simulation.advance(1000)
      const all = [...before, ...others.map(one => one.cert)]
      const sorted = (pems: readonly string[] | undefined): string[] => (pems ?? []).toSorted()
      expect(sorted(Object.values(await bundles(parts))[0])).toEqual(sorted(all))
      await simulation.advance(8900)
      expect([certificates.current().cert === cert, state(parts)]).toEqual([true, 'ready'])
      await simulation.advance(200)
      expect([certificates.current().cert === cert, state(parts)]).toEqual([false, 'ready'])
      // The authorities of before leave the bundle with the hour in which a replica may serve a certificate of them.
      await simulation.advance(hourMs + 10_000)
      expect(await bundles(parts)).toEqual(whole(parts))
      expect(simulation.environment.errors).toEqual([])
    }))

  it('B3: is trusted sooner if certificates live for seconds: after a 32nd of the life of an authority', () =>
    keptInMemory(
      async parts => {
        const { certificates, client, simulation, start } = parts
        await start()
        await simulation.advance(6000)
        const { cert } = certificates.current()
        const now = simulation.clock.now()
        const others = [newAuthority(now, now + 100_000), newAuthority(now, now + 180_000)] as const
        await client.patch(secrets, secretKey, { data: dataOf(others) })
        await simulation.advance(4900)
        expect(certificates.current().cert).toBe(cert)
        await simulation.advance(200)
        expect(certificates.current().cert).not.toBe(cert)
      },
      { certificates: { servingLifeMs: 40_000, authorityLifeMs: 160_000 } },
    ))

  it.each([
    [409, 0],
    [404, 0],
    [503, 1],
  ])('B3: is mended later if the server answers with %i', (code, failures) =>
    keptInMemory(async parts => {
      const { server, simulation, start, reset } = parts
      await start()
      await simulation.advance(100)
      // The second request is the operator's: the first one resets the bundle.
      const effect = { kind: 'status', code } as const
      await server.faults.add({ match: { resource, verb: 'patch' }, nth: 2, effect })
      await reset('')
      await simulation.advance(1000)
      if (code !== 503) await reset('AAAA')
      await simulation.advance(20_000)
      expect(await bundles(parts)).toEqual(whole(parts))
      expect(simulation.environment.errors.map(({ context }) => context)).toEqual(
        Array.from({ length: failures }, () => ({ phase: 'webhook-bundles' })),
      )
    }),
  )

  it('B3: is left alone after the end', () =>
    keptInMemory(async parts => {
      const { simulation, start, reset, trust } = parts
      await start()
      await simulation.advance(100)
      await trust.stop()
      await reset('')
      await simulation.advance(60_000)
      expect(Object.values(await bundles(parts))).toEqual([[]])
      expect(simulation.environment.warnings).toEqual([])
    }))
})

it('bundles have each certificate once, and first the one that expires first; other blocks are left out', () => {
  const now = Date.UTC(2026, 0, 1)
  const [a, b, c] = [3, 1, 2].map(days => newAuthority(now, now + days * dayMs).cert) as [string, string, string]
  const text = (bundle: string): string => Buffer.from(bundle, 'base64').toString()
  expect(text(bundleOf([a, `${b}${a}`, 'x', c]))).toBe(`${b}${c}${a}`)
  expect([...inBundle(bundleOf([a, b])).values()].map(({ cert }) => cert)).toEqual([b, a])
  expect([inBundle(undefined).size, inBundle('').size, inBundle('?').size]).toEqual([0, 0, 0])
})
