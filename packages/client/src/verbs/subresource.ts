import { checkOptions } from '../errors/check.ts'
import { isObjectNotFound } from '../errors/guards.ts'
import type { TokenRequest } from '../resources/authentication.ts'
import type { CertificateSigningRequest } from '../resources/certificates.ts'
import type { Binding, Pod } from '../resources/core.ts'
import { asKey, type KeyOf, type KubernetesObject, type ObjectKey, type Scope } from '../views/object.ts'
import { apiVersionOf, queryText } from '../views/path.ts'
import { readAs } from '../views/read.ts'
import type { View } from '../views/resource.ts'
import { checkSegment } from '../views/segment.ts'
import type { Call, Caller } from './caller.ts'
import { get } from './get.ts'
import {
  type ApplyOptions,
  applyChecks,
  type GetOptions,
  getChecks,
  type PatchOptions,
  patchChecks,
} from './options.ts'
import { objectTarget } from './target.ts'
import { checkObject, mediaTypes, type Patch, patchType, writeQuery } from './write.ts'

/** The bodies of subresources that every cluster has, by their names. */
export interface Subresources {
  /** Assigns a pod to a node. */
  binding: Binding
  /** Requests a token of a ServiceAccount. The token expires. */
  token: TokenRequest
  /** Adds containers to a pod to debug it. */
  ephemeralcontainers: Pod
  /** Changes the resources of a pod without a restart of the pod. */
  resize: Pod
  /** Approves or denies a CertificateSigningRequest, by conditions. */
  approval: CertificateSigningRequest
}

/** The types of bodies that differ from the type of the object, by subresource. */
const kinds: Readonly<Record<string, { readonly apiVersion: string; readonly kind: string }>> = {
  binding: { apiVersion: 'v1', kind: 'Binding' },
  token: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' },
  eviction: { apiVersion: 'policy/v1', kind: 'Eviction' },
  scale: { apiVersion: 'autoscaling/v1', kind: 'Scale' },
}

/**
 * Reads and writes one subresource of one object. `T`: its body; the server's answer is of the same kind. A body without `apiVersion` and `kind` gets
 * those of the subresource.
 */
export class SubresourceVerbs<T extends object> {
  readonly #caller: Caller
  readonly #view: View
  readonly #key: ObjectKey
  readonly #name: string

  constructor(caller: Caller, view: View, key: KeyOf<Scope>, name: string) {
    this.#caller = caller
    this.#view = view
    this.#key = asKey(key)
    this.#name = checkSegment('subresource', name)
  }

  /** Reads the subresource; `undefined` if the object does not exist. */
  async get(options: GetOptions = {}): Promise<T | undefined> {
    checkOptions('subresource.get', options, getChecks)
    const query = queryText({ resourceVersion: options.resourceVersion })
    const call: Call = { method: 'GET', ...this.#target(), query }
    try {
      return (await this.#caller.within(options, call, bound => this.#caller.json(call, bound))) as T
    } catch (error) {
      if (isObjectNotFound(error)) return undefined
      throw error
    }
  }

  /** Sends the subresource by POST, for actions such as a binding or a token. Returns answers of another kind unchanged. */
  async create(body: T, options: ApplyOptions = {}): Promise<T> {
    return this.#write('create', 'POST', this.#typed(body), options)
  }

  /** Replaces the subresource by PUT. */
  async update(body: T, options: ApplyOptions = {}): Promise<T> {
    return this.#write('update', 'PUT', this.#typed(body), options)
  }

  /** Changes the subresource by a merge patch, JSON patch or strategic merge patch. */
  async patch(change: Patch, options: PatchOptions = {}): Promise<T> {
    checkOptions('subresource.patch', options, patchChecks)
    const { type, ...rest } = options
    return this.#write('patch', 'PATCH', change, rest, mediaTypes[patchType(change, type)])
  }

  /** Applies the subresource by server-side apply. */
  async apply(body: T, options: ApplyOptions = {}): Promise<T> {
    return this.#write('apply', 'PATCH', this.#typed(body), options, mediaTypes.apply)
  }

  async #write(verb: string, method: string, body: object, options: ApplyOptions, contentType?: string): Promise<T> {
    checkOptions(`subresource.${verb}`, options, applyChecks)
    const call: Call = {
      ...{ method, ...this.#target(), body, contentType },
      query: writeQuery(this.#caller, options),
      // A 429 is a final answer to an eviction.
      keep429: this.#name === 'eviction',
    }
    return this.#caller.whole(options, call, async (caller, bound) => {
      const { listeners, environment } = caller
      const send = (): Promise<KubernetesObject> => caller.json(call, bound)
      const answer = await listeners.unlessLost(this.#view, call, options, send)
      if (answer.kind === this.#view.resource.kind) listeners.wrote(this.#view, answer, options)
      // Any other answer does not contain the object.
      else {
        await listeners.askAfter(call, options, environment, async () => {
          const there = await get(caller, readAs(this.#view, 'metadata'), this.#key)
          if (there !== undefined) listeners.wrote(this.#view, there as KubernetesObject)
        })
      }
      return answer as T
    })
  }

  #target(): ReturnType<typeof objectTarget> {
    const target = objectTarget(this.#view as View<unknown, Scope>, this.#key, this.#name)
    // A token of any object is a secret.
    return this.#name === 'token' ? { ...target, sensitive: true } : target
  }

  #typed(body: object): object {
    const { resource } = this.#view
    const known = kinds[this.#name] ?? { apiVersion: apiVersionOf(resource), kind: resource.kind }
    const { metadata, ...rest } = checkObject(body)
    if (this.#name === 'token') return { ...known, ...body }
    return { ...known, ...rest, metadata: { ...this.#key, ...metadata } }
  }
}
