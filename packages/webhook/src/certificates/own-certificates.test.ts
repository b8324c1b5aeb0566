import { X509Certificate } from 'node:crypto'
import type { LogFields } from '@wherry/client'
import { namespaces, type Secret, secrets } from '@wherry/client/resources/core'
import { describe, expect, it } from 'vitest'
import { certificatesFor } from '../certificates-for.ts'
import { type InMemory, inMemory } from '../testkit/in-memory.ts'
import { newAuthority } from './authority.ts'
import type { ManagedCertificates } from './managed.ts'
import { dataOf, storedPair } from './stored-pair.ts'

const hourMs = 3_600_000
const service = { namespace: 'arcade-system', name: 'arcade' }
const key = { namespace: 'arcade-system', name: 'arcade-webhook-authorities' }
const resource = 'secrets'
const authorityMade = 'an authority of the webhooks was made'
const servingMade = 'the serving certificate of the webhooks was made'

interface Own extends InMemory {
  /** The certificates of another replica. */
  replica(): ManagedCertificates
  readonly certificates: ManagedCertificates
  readonly log: [message: string, fields: LogFields | undefined][]
  /** Fingerprints of the authorities in the Secret. */
  stored(): Promise<string[]>
  secret(): Promise<Secret | undefined>
}

/** Certificates that live for an hour, of authorities that live for eight. */
async function own(body: (parts: Own) => Promise<void>): Promise<void> {
  const log: Own['log'] = []
  await inMemory(
    async parts => {
      const { operator, client } = parts
      await client.create(namespaces, { metadata: { name: service.namespace } })
      const made: ManagedCertificates[] = []
      const replica = (): ManagedCertificates => {
        const lives = { servingLifeMs: hourMs, authorityLifeMs: 8 * hourMs, names: ['games.example.com'] }
        const one = certificatesFor(operator, service, { service, certificates: lives, address: '10.0.0.1' })
        made.push(one)
        return one
      }
      const secret = (): Promise<Secret | undefined> => client.get(secrets, key)
      const stored = async (): Promise<string[]> => fingerprintsOf(await secret())
      try {
        await body({ ...parts, replica, certificates: replica(), log, stored, secret })
      } finally {
        for (const one of made) await one.stop()
      }
    },
    { log: (level, message, fields) => void (level === 'info' && log.push([message, fields])) },
  )
}

const fingerprintsOf = (secret: Secret | undefined): string[] =>
  storedPair(secret ?? {}).whole.map(({ fingerprint }) => fingerprint)

/** The authority that has signed the serving certificate: which of those in the Secret. */
const signerOf = ({ cert }: { readonly cert: string }, secret: Secret | undefined): number =>
  storedPair(secret ?? {}).whole.findIndex(({ publicKey }) => new X509Certificate(cert).verify(publicKey))

describe('the certificates of an operator', () => {
  it('B3: are of two authorities that it makes and keeps in a Secret, for the names of its Service and its own', () =>
    own(async ({ certificates, client, log, stored, simulation }) => {
      expect(() => certificates.current()).toThrow('there is no serving certificate before the operator runs')
      expect([certificates.expiresAt, certificates.authorities]).toEqual([undefined, []])
      await certificates.start()
      const now = simulation.clock.now()
      const made = await client.get(secrets.full(), key)
      const managers = made?.metadata.managedFields?.map(({ manager }) => manager)
      expect([made?.type, managers]).toEqual(['Opaque', ['arcade/webhooks']])
      const { cert } = certificates.current()
      expect(new X509Certificate(cert).subjectAltName).toBe(
        'DNS:arcade.arcade-system.svc, DNS:arcade.arcade-system.svc.cluster.local, DNS:games.example.com, IP Address:10.0.0.1',
      )
      expect([certificates.expiresAt, signerOf(certificates.current(), made)]).toEqual([now + hourMs, 0])
      expect(certificates.authorities).toEqual(storedPair(made ?? {}).whole.map(({ cert }) => cert))
      const [older, younger] = await stored()
      const iso = (hours: number): string => new Date(now + hours * hourMs).toISOString()
      const whole = (text: string): string => text.replace(/\.\d+Z/, '.000Z')
      expect(log.filter(([message]) => message.includes('webhooks'))).toEqual([
        [authorityMade, { fingerprint: older, expires: whole(iso(5)) }],
        [authorityMade, { fingerprint: younger, expires: whole(iso(9)) }],
        [servingMade, { authority: older, expires: iso(1) }],
      ])
      expect([simulation.environment.errors, simulation.environment.warnings]).toEqual([[], []])
    }))

  it('B3: are of the authorities that are there already, which it leaves as they are', () =>
    own(async ({ certificates, replica, secret, log }) => {
      await certificates.start()
      const before = await secret()
      log.length = 0
      const other = replica()
      await other.start()
      expect(other.authorities).toEqual(certificates.authorities)
      expect(await secret()).toEqual(before)
      expect(log.map(([message]) => message).filter(message => message.includes('webhooks'))).toEqual([servingMade])
      expect(other.current().cert).not.toBe(certificates.current().cert)
    }))

  it('B3: of replicas that begin together are of the same authorities', () =>
    own(async ({ certificates, replica, stored, simulation, log }) => {
      const all = [certificates, replica(), replica()]
      await Promise.all(all.map(one => one.start()))
      for (const one of all) expect(one.authorities).toEqual(certificates.authorities)
      expect(await stored()).toHaveLength(2)
      expect(log.filter(([message]) => message === authorityMade)).toHaveLength(2)
      expect(simulation.environment.errors).toEqual([])
    }))

  it('B3: are replaced at half of their life, and listeners are called for each change', () =>
    own(async ({ certificates, simulation, log }) => {
      const changes: string[] = []
      const kept: string[] = []
      certificates.onChange(() => changes.push(certificates.current().cert))
      const forget = certificates.onChange(() => kept.push(certificates.current().cert))
      await certificates.start()
      expect(changes).toEqual([certificates.current().cert])
      forget()
      await simulation.advance(hourMs / 2 - 1000)
      expect(changes).toHaveLength(1)
      await simulation.advance(2000)
      expect(changes).toHaveLength(2)
      expect(changes[1]).toBe(certificates.current().cert)
      await simulation.advance(hourMs)
      expect([changes.length, new Set(changes).size, kept.length]).toEqual([4, 4, 1])
      expect(log.filter(([message]) => message === servingMade)).toHaveLength(4)
    }))

  it('B3: change their authority every half of its life, and the new one signs a quarter of its life later', () =>
    own(async ({ certificates, simulation, stored, secret }) => {
      await certificates.start()
      const [older, younger] = await stored()
      const first = certificates.authorities
      await simulation.advance(2 * hourMs - 1000)
      expect(signerOf(certificates.current(), await secret())).toBe(0)
      await simulation.advance(2000)
      expect([signerOf(certificates.current(), await secret()), await stored()]).toEqual([1, [older, younger]])
      await simulation.advance(2 * hourMs)
      const [next, third] = await stored()
      expect([next, third === older || third === younger]).toEqual([younger, false])
      // A bundle that is written now has the one that was replaced, for an hour.
      expect(certificates.former).toEqual([first?.[0]])
      await simulation.advance(hourMs)
      expect(certificates.former).toEqual([])
      expect(signerOf(certificates.current(), await secret())).toBe(0)
      await simulation.advance(hourMs)
      expect(signerOf(certificates.current(), await secret())).toBe(1)
    }))
})

describe('the Secret of the authorities', () => {
  it.each<[title: string, data: (before: Record<string, string>) => object, problems: string | undefined]>([
    [
      ...([
        'is emptied',
        () => ({ 'authority-1.crt': null, 'authority-1.key': null, 'authority-2.crt': null }),
      ] as const),
      'authority-1: it is not there, or empty; authority-2: it is not there, or empty',
    ],
    [
      ...(['loses a key', () => ({ 'authority-2.key': 'eA==' })] as const),
      'authority-2: the key is no PEM of a private key',
    ],
    [
      'has one twice',
      before => ({ 'authority-1.crt': before['authority-2.crt'], 'authority-1.key': before['authority-2.key'] }),
      'authority-2: it is the other',
    ],
  ])('B3: is written again with what was in it if it %s, and a warning says why', (_, change, problems) =>
    own(async ({ certificates, client, simulation, secret, stored, log }) => {
      await certificates.start()
      const before = await secret()
      const { cert } = certificates.current()
      log.length = 0
      await client.patch(secrets, key, { data: change(before?.data ?? {}) } as never)
      await simulation.advance(1000)
      expect((await stored()).toSorted()).toEqual(fingerprintsOf(before).toSorted())
      expect([certificates.current().cert, certificates.former]).toEqual([cert, []])
      const name = 'arcade-system/arcade-webhook-authorities'
      expect(simulation.environment.warnings.filter(({ context }) => context?.secret !== undefined)).toEqual([
        {
          message: `the Secret ${name} does not have two authorities (${problems}): it is written again`,
          context: { secret: name },
        },
      ])
      expect(log.filter(([message]) => message.includes('webhooks'))).toEqual([])
      expect(simulation.environment.errors).toEqual([])
    }),
  )

  it('B3: is made again with what was in it if somebody deletes it, without a word', () =>
    own(async ({ certificates, client, simulation, stored }) => {
      await certificates.start()
      const before = await stored()
      await client.delete(secrets, key)
      await simulation.advance(1000)
      expect(await stored()).toEqual(before)
      const { errors, warnings } = simulation.environment
      expect([errors, warnings]).toEqual([[], []])
    }))

  it('B3: may be replaced by hand: the authorities of before stay in bundles for an hour', () =>
    own(async ({ certificates, client, simulation, secret }) => {
      await certificates.start()
      const before = certificates.authorities ?? []
      let changes = 0
      certificates.onChange(() => {
        changes += 1
      })
      const now = simulation.clock.now()
      // They may expire before those that the operator made.
      const others = [newAuthority(now, now + 4 * hourMs), newAuthority(now, now + 8 * hourMs)] as const
      await client.patch(secrets, key, { data: dataOf(others) })
      await simulation.advance(1000)
      expect(certificates.authorities).toEqual(others.map(({ cert }) => cert))
      expect([changes, signerOf(certificates.current(), await secret())]).toEqual([1, 0])
      expect(certificates.former).toEqual(before)
      await simulation.advance(hourMs)
      expect(certificates.former).toEqual([])
    }))

  it.each([
    ['create', 503, 1],
    ['create', 409, 0],
    ['create', 404, 1],
    ['patch', 503, 1],
    ['patch', 409, 0],
    ['patch', 404, 0],
  ])('B3: is written later if the %s is answered with %i', (verb, code, failures) =>
    own(async ({ certificates, replica, client, server, simulation, stored }) => {
      const effect = {
        kind: 'status',
        code,
        ...(code === 409 && { reason: verb === 'create' ? 'AlreadyExists' : 'Conflict' }),
      } as const
      const fault = await server.faults.add({ match: { resource, verb }, nth: 1, effect })
      if (verb === 'create') {
        const started = certificates.start()
        await simulation.advance(1000)
        if (code === 409) {
          // Another replica has made it.
          expect(await stored()).toEqual([])
          await replica().start()
        }
        await started
      } else {
        await certificates.start()
        // Without the operator's fault: an update is another verb.
        await client.update(secrets, { metadata: key, data: {} })
        await simulation.advance(1000)
        if (code !== 503) await client.update(secrets, { metadata: key, data: { a: '' } })
      }
      await simulation.advance(60_000)
      await fault.remove()
      expect(await stored()).toHaveLength(2)
      expect(simulation.environment.errors.map(({ context }) => context.phase)).toEqual(
        Array.from({ length: failures }, () => 'webhook-certificates'),
      )
    }),
  )

  it('B3: is written only if something is due', () =>
    own(async ({ certificates, replica, server, simulation }) => {
      await certificates.start()
      await server.faults.add({ match: { resource, verb: 'patch' }, effect: { kind: 'status', code: 503 } })
      const other = replica()
      await other.start()
      other.recheck()
      await simulation.advance(3.9 * hourMs)
      expect(simulation.environment.errors).toEqual([])
    }))

  it('B3: gets one new authority when it is time, however many replicas there are', () =>
    own(async ({ certificates, replica, simulation, log, stored }) => {
      const all = [certificates, replica(), replica()]
      for (const one of all) await one.start()
      await simulation.advance(4.1 * hourMs)
      expect(log.filter(([message]) => message === authorityMade)).toHaveLength(3)
      for (const one of all) expect(one.authorities).toEqual(certificates.authorities)
      expect([await stored(), simulation.environment.errors]).toEqual([expect.any(Array), []])
    }))

  it('B3: that changes in the authority that does not sign leaves the serving certificate, and bundles learn of it', () =>
    own(async ({ certificates, client, simulation }) => {
      await certificates.start()
      const { cert } = certificates.current()
      let changes = 0
      certificates.onChange(() => {
        changes += 1
      })
      const now = simulation.clock.now()
      const other = newAuthority(now, now + 9 * hourMs)
      const { 'authority-2.crt': crt, 'authority-2.key': secretOf } = dataOf([other, other])
      await client.patch(secrets, key, { data: { 'authority-2.crt': crt, 'authority-2.key': secretOf } } as never)
      await simulation.advance(1000)
      expect([changes, certificates.current().cert === cert, certificates.authorities?.[1]]).toEqual([
        ...[1, true],
        other.cert,
      ])
    }))

  it('B3: is not waited for by a renewal: the serving certificate is replaced while no write succeeds', () =>
    own(async ({ certificates, client, server, simulation }) => {
      await certificates.start()
      await server.faults.add({ match: { resource, verb: 'patch' }, effect: { kind: 'status', code: 409 } })
      await client.update(secrets, { metadata: key, data: {} })
      const { cert } = certificates.current()
      await simulation.advance(hourMs)
      expect(certificates.current().cert).not.toBe(cert)
      expect(certificates.expiresAt).toBeGreaterThan(simulation.clock.now())
    }))
})

describe('trust', () => {
  it('B3: is not waited for by the first certificate: the schedule decides while nothing is trusted', () =>
    own(async ({ certificates, secret }) => {
      certificates.trustedBy(() => false)
      await certificates.start()
      expect(signerOf(certificates.current(), await secret())).toBe(0)
    }))

  it('B3: decides which authority signs: none that API servers do not trust yet, if they trust another one', () =>
    own(async ({ certificates, client, simulation, secret }) => {
      const trusted = new Set<string>()
      let isKnown = false
      certificates.trustedBy(fingerprint => (isKnown ? trusted.has(fingerprint) : undefined))
      await certificates.start()
      const [first, second = ''] = fingerprintsOf(await secret())
      isKnown = true
      certificates.recheck()
      await simulation.advance(1000)
      // They trust none of both: the schedule decides.
      expect(signerOf(certificates.current(), await secret())).toBe(0)
      trusted.add(second)
      certificates.recheck()
      await simulation.advance(1000)
      expect(signerOf(certificates.current(), await secret())).toBe(1)
      trusted.add(first as string)
      certificates.recheck()
      await simulation.advance(1000)
      expect(signerOf(certificates.current(), await secret())).toBe(0)
      // The authority of before signs on while no new one is trusted.
      const now = simulation.clock.now()
      const before = certificates.current().cert
      const others = [newAuthority(now, now + 5 * hourMs), newAuthority(now, now + 9 * hourMs)] as const
      await client.patch(secrets, key, { data: dataOf(others) })
      await simulation.advance(1000)
      expect(certificates.current().cert).toBe(before)
      trusted.add(others[0].fingerprint)
      certificates.recheck()
      await simulation.advance(1000)
      expect(signerOf(certificates.current(), await secret())).toBe(0)
    }))
})

describe('the end', () => {
  it('may come before the watch of the Secret has begun', () =>
    own(async ({ certificates, simulation, stored }) => {
      const started = certificates.start().catch(error => error.message)
      await certificates.stop()
      expect(await started).toContain('the webhooks stop')
      await simulation.advance(hourMs)
      expect(await stored()).toEqual([])
    }))

  it('of an operator ends the wait for a certificate, and all renewals', () =>
    own(async ({ certificates, replica, server, simulation }) => {
      const fault = await server.faults.add({
        match: { resource, verb: 'create' },
        effect: { kind: 'status', code: 503 },
      })
      const started = certificates.start().catch(error => error.message)
      await simulation.advance(1000)
      await certificates.stop()
      expect(await started).toBe('the webhooks stop')
      await fault.remove()
      const other = replica()
      await other.start()
      const { cert } = other.current()
      await other.stop()
      await simulation.advance(4 * hourMs)
      expect(other.current().cert).toBe(cert)
      other.recheck()
      await simulation.advance(1000)
      expect(other.current().cert).toBe(cert)
    }))
})
