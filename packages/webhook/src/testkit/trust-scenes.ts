import { Client } from '@wherry/client'
import { systemClock } from '@wherry/client/internal'
import {
  mutatingWebhookConfigurations,
  type ValidatingWebhookConfiguration,
  validatingWebhookConfigurations,
} from '@wherry/client/resources/admissionregistration'
import { type Secret, secrets, services } from '@wherry/client/resources/core'
import type { ApiServer } from '@wherry/testing'
import { afterEach, expect, it } from 'vitest'
import { bundleOf, inBundle } from '../bundles/bundle.ts'
import { newAuthority } from '../certificates/authority.ts'
import type { CertificateOptions } from '../certificates/options.ts'
import { dataOf, storedPair } from '../certificates/stored-pair.ts'
import type { WebhooksOptions } from '../options.ts'
import { admission, called, prepare } from './admissions.ts'
import { games } from './games.ts'
import { until } from './on-a-server.ts'
import { type Replica, replica } from './own.ts'
import { readyz } from './readyz.ts'

const secretKey = { namespace: 'default', name: 'arcade-webhook-authorities' }
const configuration = { name: 'arcade' }
const service = { namespace: 'default', name: 'arcade' }

/** What an operator does for the trust of an API server, on that server. */
export function trustOnAServer(server: () => ApiServer): void {
  let open: { close(): Promise<unknown> }[] = []

  const admin = (): Client => {
    const { url, ca, token } = server()
    const client = new Client({ url, ca, token, fieldManager: 'gitops' })
    open.push(client)
    return client
  }
  const started = (certificates: CertificateOptions = {}, options: Partial<WebhooksOptions> = {}): Replica => {
    const one = replica(server(), certificates, options)
    open.push(one)
    one.webhooks
      .webhook('limits')
      .for(games)
      .validate(({ name, deny }) => {
        if (name === 'probe') deny('it is a probe')
      })
    one.run()
    return one
  }
  const stored = async (client: Client): Promise<Secret | undefined> => client.get(secrets, secretKey)
  const fingerprints = (secret: Secret | undefined): string[] =>
    storedPair(secret ?? {}).whole.map(({ fingerprint }) => fingerprint)
  const bundle = async (client: Client): Promise<string[]> => {
    const found = await client.get(validatingWebhookConfigurations, configuration)
    return [...inBundle(found?.webhooks?.[0]?.clientConfig.caBundle).keys()]
  }
  const reset = (client: Client, caBundle: string): Promise<ValidatingWebhookConfiguration> =>
    client.patch(validatingWebhookConfigurations, configuration, [
      { op: 'add', path: '/webhooks/0/clientConfig/caBundle', value: caBundle },
    ])

  afterEach(async () => {
    for (const one of open.reverse()) await one.close()
    open = []
    const client = admin()
    await client.delete(validatingWebhookConfigurations, configuration)
    await client.delete(mutatingWebhookConfigurations, configuration)
    await client.delete(secrets, secretKey)
    await client.close()
    open = []
  })

  const scene = (title: string, body: () => Promise<void>): void => it(title, body, 120_000)

  scene('B3: replicas that begin together make one pair of authorities, and all are trusted', async () => {
    const client = admin()
    await prepare(client)
    const replicas = [started(), started(), started()]
    await called(client)
    await until(() => {
      for (const { webhooks, operator } of replicas)
        if (webhooks.port === 0 || operator.state !== 'running') throw new Error('one does not run yet')
    })
    const pair = fingerprints(await stored(client))
    expect(pair).toHaveLength(2)
    expect(await bundle(client)).toEqual(pair)
    const signers = replicas.map(({ log }) => log.filter(line => line.includes('the serving certificate')))
    expect(signers.map(lines => lines.length)).toEqual([1, 1, 1])
    for (const [line] of signers) expect(line).toContain(pair[0])
    const made = replicas.flatMap(({ log }) =>
      log.filter(line => line.includes('an authority of the webhooks was made')),
    )
    expect(made).toHaveLength(2)
    expect(replicas.flatMap(({ errors }) => errors)).toEqual([])
  })

  scene(
    'B3: a replica that ended between the Secret and the bundle is followed by one that writes the bundle',
    async () => {
      const client = admin()
      await prepare(client)
      const first = started({}, { configurations: 'manifest' })
      await until(async () => expect(fingerprints(await stored(client))).toHaveLength(2))
      await first.close()
      const pair = fingerprints(await stored(client))
      expect(await bundle(client)).toEqual([])
      started()
      await called(client)
      expect([await bundle(client), fingerprints(await stored(client))]).toEqual([pair, pair])
    },
  )

  scene('B3: a Secret that is emptied, cut short, deleted or replaced by hand refuses no admission', async () => {
    const client = admin()
    await prepare(client)
    const one = started()
    await called(client)
    const before = await stored(client)
    const pair = fingerprints(before)
    const refused = new Set<string>()
    const heals = async (expected: readonly string[]): Promise<void> => {
      await until(async () => {
        const said = await admission(client)
        if (said !== 'admitted') refused.add(said)
        expect(fingerprints(await stored(client))).toEqual(expected)
      })
    }
    await client.update(secrets, { metadata: secretKey, data: {} })
    await heals(pair)
    const [key = ''] = [before?.data?.['authority-2.key']]
    await client.patch(secrets, secretKey, { data: { 'authority-2.key': key.slice(0, 80), 'authority-1.crt': null } })
    await heals(pair)
    await client.delete(secrets, secretKey)
    await heals(pair)
    expect(one.warnings).toEqual([
      expect.stringContaining('does not have two authorities (authority-1: it is not there, or empty; authority-2'),
      expect.stringContaining('authority-2: the key is no PEM of a private key'),
    ])
    // What a stranger would make: another operator's pair is as good.
    const now = systemClock().now()
    const other = [newAuthority(now, now + 1e10), newAuthority(now, now + 2e10)] as const
    await client.patch(secrets, secretKey, { data: dataOf(other) })
    const others = other.map(({ fingerprint }) => fingerprint)
    await heals(others)
    await until(async () => {
      const said = await admission(client)
      if (said !== 'admitted') refused.add(said)
      expect(await bundle(client)).toEqual(expect.arrayContaining(others))
      expect(one.log.filter(line => line.includes('the serving certificate')).at(-1)).toContain(others[0])
    })
    expect(await admission(client, 'probe')).toContain('it is a probe')
    expect([[...refused], one.errors]).toEqual([[], []])
    // Neither a key nor a part of one is in any line.
    const keys = [before, { data: dataOf(other) }].flatMap(({ data = {} } = {}) =>
      [data['authority-1.key'], data['authority-2.key']].map(text => Buffer.from(text ?? '', 'base64').toString()),
    )
    const parts = keys.flatMap(pem => pem.split('\n').filter(line => line.length > 20 && !line.startsWith('---')))
    expect(parts.length).toBeGreaterThan(7)
    const said = one.log.join('\n')
    expect(said).not.toContain('PRIVATE KEY')
    expect(parts.filter(part => said.includes(part.slice(0, 20)))).toEqual([])
  })

  scene(
    'B3: a bundle that somebody resets is mended, a fight is named once, and trusted parts refuse nothing',
    async () => {
      const client = admin()
      await prepare(client)
      const one = started()
      await called(client)
      const pair = await bundle(client)
      // The server calls the webhook before the last of the first three writes, which leaves the bundles to their manager.
      await until(async () => {
        const live = await client.get(validatingWebhookConfigurations.full(), configuration)
        const owners = live?.metadata.managedFields?.map(({ manager, operation, fieldsV1 }) => [
          manager,
          operation,
          JSON.stringify(fieldsV1).includes('f:caBundle'),
          JSON.stringify(fieldsV1).includes('f:sideEffects'),
        ])
        expect(owners).toEqual([
          ['arcade/webhook-bundle', 'Apply', true, false],
          ['arcade/webhooks', 'Apply', false, true],
        ])
      })
      // An old manifest has one of both authorities: it is still trusted.
      const [signer = ''] = storedPair((await stored(client)) ?? {}).whole.map(({ cert }) => cert)
      const half = Buffer.from(signer).toString('base64')
      const refused = new Set<string>()
      for (let round = 0; round < 6; round += 1) {
        await reset(client, half)
        await until(async () => {
          const said = await admission(client)
          if (said !== 'admitted') refused.add(said)
          expect(await bundle(client)).toEqual(pair)
        })
      }
      expect([...refused]).toEqual([])
      // The bundle of a stranger, and none at all.
      const now = systemClock().now()
      const stranger = newAuthority(now, now + 1e10)
      for (const trusted of [[stranger], []]) {
        const written = await reset(client, bundleOf(trusted.map(({ cert }) => cert)))
        const held = inBundle(written.webhooks?.[0]?.clientConfig.caBundle)
        expect([...held.keys()]).toEqual(trusted.map(({ fingerprint }) => fingerprint))
        await until(async () => expect(await bundle(client)).toEqual(pair))
      }
      await called(client)
      expect(one.errors.map(({ message }) => message)).toEqual([
        'the manager gitops resets caBundle of ValidatingWebhookConfiguration arcade again and again, so the API server refuses the webhooks until it is mended: remove caBundle from the manifest',
      ])
    },
  )

  scene('B3: a webhook that the program no longer has leaves the configuration, with its bundle', async () => {
    const client = admin()
    await prepare(client)
    const two = replica(server())
    open.push(two)
    for (const name of ['limits', 'old'])
      two.webhooks
        .webhook(name)
        .for(games)
        .validate(({ name, deny }) => {
          if (name === 'probe') deny('it is a probe')
        })
    two.run()
    const names = async (): Promise<(string | undefined)[]> => {
      const found = await client.get(validatingWebhookConfigurations, configuration)
      return (found?.webhooks ?? []).map(({ name, clientConfig }) =>
        clientConfig.caBundle === undefined ? undefined : name.split('.')[0],
      )
    }
    await until(async () => expect(await names()).toEqual(['limits', 'old']))
    await called(client)
    await two.close()
    const next = started()
    await until(async () => expect(await names()).toEqual(['limits']))
    await called(client)
    expect([...two.errors, ...next.errors]).toEqual([])
  })

  scene('B3: a configuration that somebody deletes or changes is made again, and that is said', async () => {
    const client = admin()
    await prepare(client)
    const one = started()
    await called(client)
    const said = (text: string): boolean => one.warnings.some(line => line.includes(text))
    // If it is deleted amid the operator's writes, the operator has nothing to say: it was not done yet.
    const done = (): Promise<void> => until(async () => expect(await readyz(one.operator)).toBe('ok'))
    await done()
    await client.delete(validatingWebhookConfigurations, configuration)
    await until(() => expect(said('was deleted, and is made again')).toBe(true))
    await called(client)
    const first = async () => (await client.get(validatingWebhookConfigurations, configuration))?.webhooks?.[0]
    const { name } = (await first()) ?? {}
    await done()
    await client.patch(validatingWebhookConfigurations, configuration, [
      { op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Ignore' },
    ])
    await until(async () => expect((await first())?.failurePolicy).toBe('Fail'))
    expect(said('was changed, and is applied again')).toBe(true)
    await done()
    await client.patch(validatingWebhookConfigurations, configuration, [
      { op: 'replace', path: '/webhooks', value: [] },
    ])
    await until(async () => expect((await first())?.name).toBe(name))
    await called(client)
    expect(one.errors).toEqual([])
  })

  scene('B3: a configuration of a manifest that somebody deletes or changes is named, and is not written', async () => {
    const client = admin()
    await prepare(client)
    const one = started({}, { configurations: 'manifest' })
    await until(() => expect(one.webhooks.port).toBeGreaterThan(0))
    const [manifest] = one.webhooks.configurations()
    await client.create(validatingWebhookConfigurations, manifest as never)
    await called(client)
    const problem = 'ValidatingWebhookConfiguration arcade is not as the program declares it: '
    const says = (text: string): Promise<void> =>
      until(() => expect(one.warnings).toContain(`${problem}${text}: apply its manifest`))
    expect(one.warnings).toEqual([])
    await client.patch(validatingWebhookConfigurations, configuration, [
      { op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Ignore' },
    ])
    await says('limits.arcade.webhooks.wherry.dev: failurePolicy')
    await client.patch(validatingWebhookConfigurations, configuration, [
      { op: 'replace', path: '/webhooks', value: [] },
    ])
    await says('it has no limits.arcade.webhooks.wherry.dev')
    await client.delete(validatingWebhookConfigurations, configuration)
    await says('it was deleted')
    expect(await client.get(validatingWebhookConfigurations, configuration)).toBeUndefined()
    expect(one.errors).toEqual([])
  })

  scene(
    'B3: no configuration is written while the Service that it names does not exist, and that is said once',
    async () => {
      const client = admin()
      await prepare(client)
      const one = started({}, { address: undefined })
      await until(() => expect(one.errors).toHaveLength(1))
      expect(one.errors[0]?.message).toContain('the Service default/arcade does not exist')
      expect(await client.get(validatingWebhookConfigurations, configuration)).toBeUndefined()
      expect(one.warnings).toEqual([expect.stringContaining('no webhook reviews what is in the namespace default')])
      await client.create(services, { metadata: service, spec: { ports: [{ port: 443 }] } })
      await until(async () => expect(await bundle(client)).toHaveLength(2))
      await client.delete(services, service)
      expect(one.errors).toHaveLength(1)
    },
  )
}
