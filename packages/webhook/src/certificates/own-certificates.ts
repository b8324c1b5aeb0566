import { type Client, isAlreadyExists, isConflict, isNotFound, type ObjectKey } from '@wherry/client'
import { type Secret, secrets } from '@wherry/client/resources/core'
import { isOlder, type NarrowReader } from '../narrow.ts'
import { Rounds } from '../rounds.ts'
import type { ServingCertificate } from '../server/certificates.ts'
import type { Authority } from './authority.ts'
import { Former } from './former.ts'
import { type Leaf, newLeaf } from './leaf.ts'
import type { ManagedCertificates, Trust } from './managed.ts'
import { type Lives, nextChange, nextPair, type Pair, signerOf } from './schedule.ts'
import { dataOf, type StoredPair, storedPair } from './stored-pair.ts'

/** Options of {@link OwnCertificates}. */
export interface OwnCertificatesParts {
  readonly client: Client
  readonly narrow: NarrowReader
  /** The Secret that keeps the authorities. */
  readonly secret: ObjectKey<'namespaced'>
  /** The field manager of writes to the Secret. */
  readonly fieldManager: string
  /** Names and addresses of the server. */
  readonly names: readonly string[]
  readonly lives: Lives
}

/** The longest time between two checks of the schedule, in milliseconds. Timers do not notice if the wall clock jumps. */
const longestWaitMs = 6 * 3_600_000

/**
 * Certificates that the operator makes and renews. Two authorities are in a Secret that all replicas share; each replica makes its serving certificate
 * in memory. The first replica that finds an authority due replaces it.
 */
export class OwnCertificates implements ManagedCertificates {
  readonly #parts: OwnCertificatesParts
  readonly #rounds: Rounds
  readonly #end = new AbortController()
  readonly #listeners = new Set<() => void>()
  readonly #former: Former
  #trusts: Trust = () => undefined
  #secret: Secret | undefined
  #lastRead: { readonly secret: Secret; readonly stored: StoredPair } | undefined
  #pair: Pair | undefined
  #leaf: Leaf | undefined
  #closeWatch: (() => Promise<void>) | undefined
  #isReady: (() => void) | undefined

  constructor(parts: OwnCertificatesParts) {
    this.#parts = parts
    const { environment } = parts.client
    this.#former = new Former(environment.clock)
    this.#rounds = new Rounds({ environment, phase: 'webhook-certificates', round: () => this.#round() })
  }

  /** Resolves when there is a certificate to serve with. Rejects if the Secret can't be watched. */
  async start(): Promise<void> {
    const { narrow, secret } = this.#parts
    const ready = new Promise<void>((resolve, reject) => {
      this.#isReady = resolve
      this.#end.signal.addEventListener('abort', () => reject(this.#end.signal.reason))
    })
    ready.catch(() => {})
    const seen = (object: Secret | undefined): void => {
      if (isOlder(object, this.#secret)) return
      this.#secret = object
      this.#rounds.ask()
    }
    const handler = {
      add: seen,
      update: seen,
      delete: () => seen(undefined),
      absent: () => seen(undefined),
    }
    const { signal } = this.#end
    const subscription = await narrow.watch(secrets, secret, handler, { signal })
    this.#closeWatch = () => subscription.close()
    if (signal.aborted) await subscription.close()
    await ready
  }

  async stop(): Promise<void> {
    this.#end.abort(new Error('the webhooks stop'))
    await this.#rounds.close()
    await this.#closeWatch?.()
  }

  current(): ServingCertificate {
    if (this.#leaf === undefined) throw new Error('there is no serving certificate before the operator runs')
    return this.#leaf
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get expiresAt(): number | undefined {
    return this.#leaf?.notAfter
  }

  /** The authorities that each bundle must have. */
  get authorities(): readonly string[] {
    return this.#pair?.map(({ cert }) => cert) ?? []
  }

  /** Recently replaced authorities, which a new bundle has too. */
  get former(): readonly string[] {
    return this.#former.certs
  }

  /** Sets the test of whether API servers trust an authority. An authority that they do not trust yet does not sign while a trusted authority can. */
  trustedBy(trusts: Trust): void {
    this.#trusts = trusts
  }

  recheck(): void {
    this.#rounds.ask()
  }

  async #round(): Promise<void> {
    const { clock } = this.#parts.client.environment
    const pair = await this.#agreed(clock.now())
    if (pair === undefined) return
    const now = clock.now()
    const isNew = this.#take(pair)
    const hasLeaf = this.#renewLeaf(pair, now)
    if (isNew || hasLeaf) for (const listener of [...this.#listeners]) listener()
    this.#isReady?.()
    const leaf = this.#leaf as Leaf
    const next = Math.min(nextChange(pair, now, this.#parts.lives), leaf.renewAt, leaf.notAfter)
    this.#rounds.askIn(Math.min(Math.max(next - now, 0), longestWaitMs))
  }

  /** Returns the pair in the Secret, which it writes first if an authority is due. If another replica wrote before it, returns the pair in memory. */
  async #agreed(now: number): Promise<Pair | undefined> {
    const stored = this.#secret && this.#read(this.#secret)
    const whole = stored?.whole ?? []
    // Missing or damaged authorities are restored from memory.
    const lost = (this.#pair ?? []).filter(held => !isIn(held, whole))
    const known = [...whole, ...lost.slice(0, 2 - whole.length)]
    const pair = nextPair(known, now, this.#parts.lives)
    if (pair.every(one => isIn(one, whole))) return pair
    this.#sayDamage(stored?.problems ?? [])
    // Continues with the pair in memory: the serving certificate must not wait for the next state of the Secret.
    if (!(await this.#write(pair))) return this.#pair
    const made = pair.filter(one => !isIn(one, known))
    for (const { notAfter, fingerprint } of made)
      this.#log('an authority of the webhooks was made', { fingerprint, expires: new Date(notAfter).toISOString() })
    return pair
  }

  /** Parses a state of the Secret only once, because parsing verifies signatures. */
  #read(secret: Secret): StoredPair {
    if (this.#lastRead?.secret !== secret) this.#lastRead = { secret, stored: storedPair(secret) }
    return this.#lastRead.stored
  }

  #sayDamage(problems: readonly string[]): void {
    if (problems.length === 0) return
    const { namespace, name } = this.#parts.secret
    this.#parts.client.environment.onWarning(
      `the Secret ${namespace}/${name} does not have two authorities (${problems.join('; ')}): it is written again`,
      { secret: `${namespace}/${name}` },
    )
  }

  /** Writes the Secret. Returns false if another replica was first; the watch will deliver its state and ask for a round. */
  async #write(pair: Pair): Promise<boolean> {
    const { client, secret, fieldManager } = this.#parts
    const options = { fieldManager, signal: this.#end.signal }
    const known = this.#secret
    try {
      const answer =
        known === undefined
          ? await client.create(secrets, { metadata: secret, data: dataOf(pair) }, options)
          : await client.patch(
              secrets,
              secret,
              { metadata: { resourceVersion: known.metadata?.resourceVersion }, data: dataOf(pair) },
              options,
            )
      // The watch may have delivered a newer state before this answer; the next round uses that state.
      if (!isOlder(answer, this.#secret)) this.#secret = answer
      return true
    } catch (error) {
      if (known !== undefined && isNotFound(error)) {
        this.#secret = undefined
        this.#rounds.ask()
      } else if (!isAlreadyExists(error) && !isConflict(error)) throw error
      return false
    }
  }

  #take(pair: Pair): boolean {
    const gone = (this.#pair ?? []).filter(one => !isIn(one, pair))
    this.#pair = pair
    for (const { cert } of gone) this.#former.add(cert)
    return gone.length > 0
  }

  #renewLeaf(pair: Pair, now: number): boolean {
    const { names, lives } = this.#parts
    const held = this.#leaf
    const signer = this.#signer(pair, now)
    const isRight = held !== undefined && held.signer.fingerprint === signer.fingerprint
    if (isRight && now < held.renewAt && now >= held.notBefore) return false
    const leaf = newLeaf(signer, names, now, lives.servingMs)
    this.#leaf = leaf
    this.#log('the serving certificate of the webhooks was made', {
      authority: signer.fingerprint,
      expires: new Date(leaf.notAfter).toISOString(),
    })
    return true
  }

  /** The authority that signs now. If the API server does not trust that authority yet, a trusted authority signs. */
  #signer(pair: Pair, now: number): Authority {
    const wanted = signerOf(pair, now, this.#parts.lives)
    if (this.#trusts(wanted.fingerprint) !== false) return wanted
    const others = [this.#leaf?.signer, ...pair].filter(one => one !== undefined)
    return others.find(one => one.notAfter > now && this.#trusts(one.fingerprint) === true) ?? wanted
  }

  #log(message: string, fields: Readonly<Record<string, string>>): void {
    this.#parts.client.environment.log('info', message, fields)
  }
}

function isIn({ fingerprint }: Authority, authorities: readonly Authority[]): boolean {
  return authorities.some(one => one.fingerprint === fingerprint)
}
