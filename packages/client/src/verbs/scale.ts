import { checkOptions } from '../errors/check.ts'
import { isObjectNotFound } from '../errors/guards.ts'
import { subject } from '../errors/request-info.ts'
import { InvalidObjectError } from '../list/object.ts'
import { asKey, type KeyOf, type KubernetesObject, type Scope } from '../views/object.ts'
import { queryText } from '../views/path.ts'
import type { View } from '../views/resource.ts'
import type { Call, Caller } from './caller.ts'
import { type GetOptions, getChecks, type WriteOptions, writeChecks } from './options.ts'
import { objectTarget } from './target.ts'
import { checkObject, writeQuery } from './write.ts'

/** The scale subresource, which is the same for every resource. */
export interface Scale extends KubernetesObject {
  spec?: { replicas?: number | undefined } | undefined
  status?: { replicas: number; selector?: string | undefined } | undefined
}

/** Reads and writes the `scale` of objects that have replicas. */
export class ScaleVerbs {
  readonly #caller: Caller

  constructor(caller: Caller) {
    this.#caller = caller
  }

  /** Reads the scale of one object; `undefined` if the object does not exist. */
  async get<S extends Scope>(
    view: View<unknown, S>,
    key: KeyOf<S>,
    options: GetOptions = {},
  ): Promise<Scale | undefined> {
    checkOptions('scale.get', options, getChecks)
    const query = queryText({ resourceVersion: options.resourceVersion })
    const call: Call = { method: 'GET', ...objectTarget(view, asKey(key), 'scale'), query }
    try {
      return await this.#send(options, call)
    } catch (error) {
      if (isObjectNotFound(error)) return undefined
      throw error
    }
  }

  /**
   * Writes a scale. Its `metadata.resourceVersion`, if it has one, turns another
   * writer's change into a conflict.
   */
  async update<S extends Scope>(
    view: View<unknown, S>,
    key: KeyOf<S>,
    scale: Scale,
    options: WriteOptions = {},
  ): Promise<Scale> {
    checkOptions('scale.update', options, writeChecks)
    checkObject(scale)
    const target = objectTarget(view, asKey(key), 'scale')
    const typed = { ...scale, apiVersion: scale.apiVersion ?? 'autoscaling/v1', kind: scale.kind ?? 'Scale' }
    const body =
      scale.metadata?.name === undefined ? { ...typed, metadata: { ...scale.metadata, ...asKey(key) } } : typed
    return this.#write(view, options, { method: 'PUT', ...target, query: writeQuery(this.#caller, options), body })
  }

  /** Sets the number of replicas, without a check for other writers. */
  async patch<S extends Scope>(
    view: View<unknown, S>,
    key: KeyOf<S>,
    change: { readonly spec: { readonly replicas: number } },
    options: WriteOptions = {},
  ): Promise<Scale> {
    checkOptions('scale.patch', options, writeChecks)
    return this.#write(view, options, {
      method: 'PATCH',
      ...objectTarget(view, asKey(key), 'scale'),
      query: writeQuery(this.#caller, options),
      body: checkObject(change),
      contentType: 'application/merge-patch+json',
    })
  }

  /** Writes the scale. Its answer has the name and the version of the scaled object. */
  #write(view: View, options: WriteOptions, call: Call): Promise<Scale> {
    return this.#caller.listeners.during(view, call, options, () => this.#send(options, call))
  }

  #send(options: WriteOptions, call: Call): Promise<Scale> {
    return this.#caller.within(options, call, async bound => scaleOf(await this.#caller.json(call, bound), call))
  }
}

function scaleOf(answer: KubernetesObject, call: Call): Scale {
  if (answer.kind === 'Scale') return answer
  throw new InvalidObjectError(call.resource ?? '', `${subject(call)}: the answer is not a Scale`)
}
