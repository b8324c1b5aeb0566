import { createHmac, timingSafeEqual } from 'node:crypto'
import {
  isObject,
  type JsonObject,
  objectAt,
  own,
  parseJson,
  serviceAccountUser,
  serviceAccountUserName,
  stringAt,
  stringsAt,
} from '@wherry/cel/internal'
import type { User } from '../authn/access.ts'
import type { Registry } from '../definitions/registry.ts'
import { uuid } from '../metadata/names.ts'
import { objectKey, type Store } from '../store/store.ts'

/** The issuer of tokens, which is also their default audience. */
export const tokenIssuer = 'https://kubernetes.default.svc'

/** The object that a token is bound to. */
export interface BoundObject {
  readonly kind: 'Pod' | 'Secret' | 'Node'
  readonly name: string
  readonly uid: string
}

/** The content of a token. */
export interface TokenSubject {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly audiences: readonly string[]
  readonly seconds: number
  readonly bound?: BoundObject | undefined
  /** The node that the pod runs on, if it is known. */
  readonly node?: { readonly name: string; readonly uid: string } | undefined
}

/** The user of a token, and the requested audiences that it is valid for. A text: the reason for which the token is invalid. */
export type TokenOwner = { readonly user: User; readonly audiences: readonly string[] } | string

/** Issues and verifies tokens of service accounts (JWT). A token is valid until it expires, or its account or the object that it is bound to is deleted. */
export class AccountTokens {
  readonly #store: Store
  readonly #registry: Registry
  readonly #now: () => number
  readonly #random: () => number
  readonly #secret: string

  constructor(store: Store, registry: Registry, now: () => number, random: () => number, secret: string) {
    this.#store = store
    this.#registry = registry
    this.#now = now
    this.#random = random
    this.#secret = secret
  }

  issue(subject: TokenSubject): string {
    const { namespace, name, uid, bound, node } = subject
    const iat = Math.floor(this.#now() / 1000)
    const claims: JsonObject = { namespace, serviceaccount: { name, uid } }
    if (bound !== undefined) claims[bound.kind.toLowerCase()] = { name: bound.name, uid: bound.uid }
    if (node !== undefined) claims.node = node.uid === '' ? { name: node.name } : { ...node }
    const payload: JsonObject = {
      aud: [...subject.audiences],
      exp: iat + subject.seconds,
      iat,
      iss: tokenIssuer,
      jti: uuid(this.#random),
      'kubernetes.io': claims,
      nbf: iat,
      sub: serviceAccountUserName(namespace, name),
    }
    const text = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded(payload)}`
    return `${text}.${this.#signature(text)}`
  }

  /** The owner of a token; `undefined` if it is no token of a service account. */
  owner(token: string, audiences: readonly string[]): TokenOwner | undefined {
    const [head, body, signature, ...more] = token.split('.')
    if (head === undefined || body === undefined || signature === undefined || more.length > 0) return undefined
    const payload = decoded(body)
    if (payload === undefined || stringAt(payload, 'iss') !== tokenIssuer) return undefined
    if (!same(this.#signature(`${head}.${body}`), signature)) return 'failed to verify signature'
    if (this.#now() / 1000 >= Number(own(payload, 'exp'))) return 'service account token has expired'
    const meant = stringsAt(payload, 'aud')
    const shared = audiences.filter(audience => meant.includes(audience))
    if (shared.length === 0) {
      const list = (values: readonly string[]): string => `[${values.map(value => JSON.stringify(value)).join(' ')}]`
      return `token audiences ${list(meant)} is invalid for the target audiences ${list(audiences)}`
    }
    return this.#holder(payload, shared)
  }

  #holder(payload: JsonObject, audiences: readonly string[]): TokenOwner {
    const claims = objectAt(payload, 'kubernetes.io') ?? {}
    const namespace = stringAt(claims, 'namespace') ?? ''
    const account = objectAt(claims, 'serviceaccount')
    const name = stringAt(account, 'name') ?? ''
    const uid = stringAt(account, 'uid') ?? ''
    const found = this.#uidOf('serviceaccounts', namespace, name)
    if (found === undefined) return `serviceaccounts ${JSON.stringify(name)} not found`
    if (found !== uid) return `service account UID (${found}) does not match claim (${uid})`
    const extra: Record<string, readonly string[]> = {
      'authentication.kubernetes.io/credential-id': [`JTI=${stringAt(payload, 'jti')}`],
    }
    for (const kind of ['pod', 'secret', 'node'] as const) {
      const claim = objectAt(claims, kind)
      if (claim === undefined) continue
      const claimed = { name: stringAt(claim, 'name') ?? '', uid: stringAt(claim, 'uid') ?? '' }
      const bound = kind !== 'node' || (objectAt(claims, 'pod') === undefined && claimed.uid !== '')
      const there = this.#uidOf(`${kind}s`, kind === 'node' ? '' : namespace, claimed.name)
      if (bound && there !== claimed.uid) return 'service account token has been invalidated'
      if (kind === 'secret') continue
      extra[`authentication.kubernetes.io/${kind}-name`] = [claimed.name]
      if (claimed.uid !== '') extra[`authentication.kubernetes.io/${kind}-uid`] = [claimed.uid]
    }
    return { user: { ...serviceAccountUser(namespace, name), uid, extra }, audiences }
  }

  #uidOf(plural: string, namespace: string, name: string): string | undefined {
    return this.#store.collection(this.#registry.resolve('', 'v1', plural)).get(objectKey(namespace, name))?.uid
  }

  #signature(text: string): string {
    return createHmac('sha256', this.#secret).update(text).digest('base64url')
  }
}

function encoded(value: JsonObject): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function decoded(part: string): JsonObject | undefined {
  try {
    const value = parseJson(Buffer.from(part, 'base64url').toString('utf8'))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function same(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
