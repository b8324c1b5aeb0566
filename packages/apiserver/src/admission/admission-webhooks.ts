import { createHash } from 'node:crypto'
import { type JsonObject, objectAt, own, parseJson, sameJson } from '@wherry/cel/internal'
import type { User } from '../authn/access.ts'
import type { Registry } from '../definitions/registry.ts'
import { uuid } from '../metadata/names.ts'
import type { KubeObject } from '../objects/object.ts'
import { materialise } from '../objects/stored.ts'
import type { HookAnswer, HookClient } from '../outside/hook-client.ts'
import type { Outside, Question } from '../outside/outside.ts'
import { isTrue, type RequestInfo, type ResourceTarget } from '../requests/request-info.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import type { Responder } from '../responder.ts'
import { decode } from '../schema/decode.ts'
import { cel } from '../schema/rules.ts'
import { StatusError } from '../status.ts'
import type { Store } from '../store/store.ts'
import type { Version } from '../store/version.ts'
import { queriedPreconditions } from '../write/options.ts'
import { jsonPatch } from '../write/patch.ts'
import { scaleOf, withScale } from '../write/scale.ts'
import type { WriteHooks } from '../write/writer.ts'
import { type Hook, hooksOf } from './configuration.ts'
import type { InForce } from './in-force.ts'
import { atVersion, type InputHost, inputOf } from './input.ts'
import { MutatingPolicies, type Reinvocations } from './mutating-policies.ts'
import { type Attributes, callFailed, denied, kindOf, readVerdict, reviewRequest, type Verdict } from './review.ts'
import { selectedAt } from './selection.ts'
import { ValidatingPolicies } from './validating-policies.ts'

/** The data that webhooks receive about a request, in addition to the objects. */
export interface AskedWrite {
  readonly info: RequestInfo
  readonly target: ResourceTarget
  readonly type: ResourceType
  readonly verb: string
  readonly user: User
  readonly responder: Responder
}

/** The parts of the server that the webhooks need. */
export interface WebhookHost extends InputHost {
  readonly store: Store
  readonly registry: Registry
  readonly inForce: InForce
  readonly outside: Outside
  readonly client: HookClient
  readonly random: () => number
  /** Refuses owners that the user may not set. Without it any user may set any owners. */
  readonly confirmOwners?: ((asked: Attributes) => void) | undefined
}

/** The write that is being carried out. */
interface Current {
  readonly write: AskedWrite
  readonly options: JsonObject
  readonly dryRun: boolean
}

interface Invocation {
  readonly hook: Hook
  /** The version at which the webhook receives the object. */
  readonly at: ResourceType
}

type Reply = { readonly uid: string; readonly version: string; readonly answer: HookAnswer }

const metaOfSystem = [
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
] as const

/** Admits writes by the webhooks and policies of the server's own configurations. They are not called for writes of the server's controllers. */
export class AdmissionWebhooks implements WriteHooks {
  readonly #host: WebhookHost
  readonly #types: { readonly mutating: ResourceType; readonly validating: ResourceType }
  readonly #policies: { readonly mutating: MutatingPolicies; readonly validating: ValidatingPolicies }
  readonly #read = new WeakMap<Version, readonly Hook[]>()
  #current: Current | undefined

  constructor(host: WebhookHost) {
    const type = (plural: string): ResourceType => host.registry.resolve('admissionregistration.k8s.io', 'v1', plural)
    this.#host = host
    this.#policies = { mutating: new MutatingPolicies(host), validating: new ValidatingPolicies(host) }
    this.#types = {
      mutating: type('mutatingwebhookconfigurations'),
      validating: type('validatingwebhookconfigurations'),
    }
  }

  /** Carries out a write and calls the webhooks for it. `body` returns the options in the body of a delete. */
  during(write: AskedWrite, body: () => JsonObject, work: () => void): void {
    if ((this.#idle && !this.#guardsOwners(write)) || isExempt(write.type)) return work()
    const before = this.#current
    const options = optionsOf(write, body)
    this.#current = { write, options, dryRun: options.dryRun !== undefined }
    try {
      work()
    } finally {
      this.#current = before
    }
  }

  /** Carries out a change that the server makes by itself within a write, without calling webhooks. */
  unasked(work: () => void): void {
    const before = this.#current
    this.#current = undefined
    try {
      work()
    } finally {
      this.#current = before
    }
  }

  /** Returns `object` as the mutating webhooks changed it. Throws their refusals. */
  mutate(object: KubeObject, old: KubeObject | undefined): KubeObject {
    const current = this.#current
    if (current === undefined) return object
    if (old === undefined) {
      // A create can't set these fields, and webhooks do not receive them.
      for (const field of metaOfSystem) delete object.metadata[field]
    }
    const { type, target } = current.write
    if (target.subresource !== 'scale' || old === undefined) {
      return this.#mutated(this.#attributes(object, old)) as KubeObject
    }
    const scale = this.#mutated(this.#attributes(scaleOf(type, object), scaleOf(type, old)))
    return withScale(type, object, scale as JsonObject)
  }

  validate(object: KubeObject, old: KubeObject | undefined): void {
    const current = this.#current
    if (current === undefined) return
    const { type, target } = current.write
    const shown = (one: KubeObject): KubeObject => (target.subresource === 'scale' ? scaleOf(type, one) : one)
    const asked = this.#attributes(shown(object), old === undefined ? undefined : shown(old))
    this.#host.confirmOwners?.(asked)
    this.#validated(asked)
  }

  remove(object: KubeObject): void {
    if (this.#current === undefined) return
    const asked = this.#attributes(undefined, object)
    this.#mutated(asked)
    this.#validated(asked)
  }

  /** Whether no configuration and no policy is in force. */
  get #idle(): boolean {
    const { inForce } = this.#host
    const unhooked = [this.#types.mutating, this.#types.validating].every(type => inForce.size(type) === 0)
    return unhooked && this.#policies.mutating.idle && this.#policies.validating.idle
  }

  #guardsOwners({ verb, target }: AskedWrite): boolean {
    return this.#host.confirmOwners !== undefined && target.subresource === '' && !verb.startsWith('delete')
  }

  #attributes(object: JsonObject | undefined, oldObject: JsonObject | undefined): Attributes {
    const { write, options, dryRun } = this.#current as Current
    const { type, target, user } = write
    const operation = object === undefined ? 'DELETE' : oldObject === undefined ? 'CREATE' : 'UPDATE'
    const named = target.name === '' ? (objectAt(object, 'metadata') as KubeObject['metadata'] | undefined) : undefined
    const name = named?.name ?? target.name
    // The namespace of a Namespace is its own name.
    const namespace = type.group === '' && type.plural === 'namespaces' ? name : target.namespace
    const kind = kindOf(type, target.subresource)
    return {
      type,
      kind,
      operation,
      name,
      namespace,
      subresource: target.subresource,
      user,
      object,
      oldObject,
      dryRun,
      options,
    }
  }

  #mutated(asked: Attributes): JsonObject | undefined {
    let { object } = asked
    const hooks = this.#hooks(this.#types.mutating)
    const reinvocable = new Set<Hook>()
    const again = new Set<Hook>()
    const policies: Reinvocations = { reinvocable: new Set(), again: new Set() }
    const { mutating } = this.#policies
    object = mutating.mutated(asked, policies, undefined)
    const byPolicies = object
    for (const round of [0, 1]) {
      if (round === 1) {
        const byHooks = object
        // Policies come before webhooks, in each round.
        if (!sameJson(byPolicies, byHooks)) for (const one of policies.reinvocable) policies.again.add(one)
        if (policies.again.size > 0) object = mutating.mutated({ ...asked, object }, policies, new Set(policies.again))
        if (!sameJson(byHooks, object)) for (const hook of reinvocable) again.add(hook)
        if (again.size === 0) break
      }
      for (const hook of hooks) {
        const now: Attributes = { ...asked, object }
        const invocation = this.#invocation(hook, now)
        // For later hooks, a change in this very round is a reason for another call, too.
        if (invocation === undefined || (round === 1 && !again.has(hook))) continue
        const [reply] = this.#ask([invocation], now)
        const next = this.#applied(hook, reply as Reply, now, invocation)
        if (!sameJson(next, object)) {
          for (const one of reinvocable) again.add(one)
          reinvocable.clear()
        }
        object = next
        if (hook.reinvoked) reinvocable.add(hook)
      }
    }
    return object
  }

  #applied(hook: Hook, reply: Reply, asked: Attributes, { at }: Invocation): JsonObject | undefined {
    const verdict = this.#verdict(hook, reply, true)
    const { object, type } = asked
    if (verdict?.patch === undefined) return object
    let operations: ReturnType<typeof parseJson>
    try {
      operations = parseJson(verdict.patch)
    } catch (error) {
      return this.#unanswered(
        hook,
        `received undecodable patch in webhook response: ${(error as Error).message}`,
        object,
      )
    }
    if (Array.isArray(operations) && operations.length === 0) return object
    if (object === undefined) {
      const why = `admission webhook ${JSON.stringify(hook.name)} attempted to modify the object, which is not supported for this operation`
      throw StatusError.internal(why)
    }
    if (verdict.patchType !== 'JSONPatch') {
      return this.#unanswered(hook, `unsupported patch type ${JSON.stringify(verdict.patchType)}`, object)
    }
    const seen = at === type ? object : (this.#host.convert(object as KubeObject, at) as JsonObject)
    let patched: JsonObject
    try {
      patched = jsonPatch(seen, operations)
    } catch (error) {
      throw error instanceof StatusError ? StatusError.internal(error.message) : error
    }
    const back = at === type ? patched : (this.#host.convert(patched as KubeObject, type) as JsonObject)
    const whole = type.schema !== undefined && asked.subresource !== 'scale'
    return whole ? decode((type.schema as NonNullable<typeof type.schema>).root, back).object : back
  }

  #validated(asked: Attributes): void {
    this.#policies.validating.validate(asked, text => this.#current?.write.responder.warn(text))
    const invocations = this.#hooks(this.#types.validating)
      .map(hook => this.#invocation(hook, asked))
      .filter(one => one !== undefined)
    const replies = this.#ask(invocations, asked)
    const refusals: unknown[] = []
    for (const [i, { hook }] of invocations.entries()) {
      try {
        this.#verdict(hook, replies[i] as Reply, false)
      } catch (error) {
        refusals.push(error)
      }
    }
    // All validating webhooks are called at the same time, and all their warnings are passed on.
    if (refusals.length > 0) throw refusals[0]
  }

  /** The decision of a webhook; `undefined` if it did not answer and its failure policy ignores that. Throws its refusal. */
  #verdict(hook: Hook, { uid, version, answer }: Reply, mutating: boolean): Verdict | undefined {
    const verdict = readVerdict(answer, uid, version, mutating)
    if (typeof verdict === 'string') return this.#unanswered(hook, verdict, undefined)
    for (const text of verdict.warnings) this.#current?.write.responder.warn(text)
    if (!verdict.allowed) throw denied(hook.name, verdict.result)
    return verdict
  }

  #unanswered<T>(hook: Hook, why: string, otherwise: T): T {
    if (hook.ignoresFailures) return otherwise
    throw callFailed(hook.name, why)
  }

  #ask(invocations: readonly Invocation[], asked: Attributes): readonly Reply[] {
    const { outside, client, random } = this.#host
    const questions = invocations.map(({ hook, at }): Question<Reply> => {
      const request = reviewRequest(atVersion(asked, at, this.#host), at)
      const version = hook.reviewVersions.find(one => one === 'v1' || one === 'v1beta1') ?? 'v1'
      return {
        key: `${hook.id} ${createHash('sha256').update(JSON.stringify(request)).digest('base64')}`,
        async ask(signal) {
          const uid = uuid(random)
          const review: JsonObject = {
            kind: 'AdmissionReview',
            apiVersion: `admission.k8s.io/${version}`,
            request: { uid, ...request },
          }
          return { uid, version, answer: await client.send(hook.address, review, hook.timeoutSeconds, signal) }
        },
      }
    })
    return outside.answers(questions)
  }

  #invocation(hook: Hook, asked: Attributes): Invocation | undefined {
    const at = selectedAt(hook, asked, this.#host)
    if (at === undefined) return undefined
    if (hook.conditions.length === 0) return { hook, at }
    const values = cel().inputValues(inputOf(asked, at, this.#host), undefined)
    const holds = cel().conditionsHold(hook.conditions, values)
    if (holds === true) return { hook, at }
    if (holds === false || hook.ignoresFailures) return undefined
    throw StatusError.forbidden(asked.type, asked.name, holds)
  }

  /** The hooks of a kind, in the order of their configurations' names. */
  #hooks(type: ResourceType): readonly Hook[] {
    return this.#host.inForce.all(type).flatMap(version => {
      let hooks = this.#read.get(version)
      if (hooks === undefined) {
        hooks = hooksOf(materialise(version, type.apiVersion, type.kind), `${type.plural}/${version.uid}/${version.rv}`)
        this.#read.set(version, hooks)
      }
      return hooks
    })
  }
}

/** Whether admission skips a resource because it configures admission. */
function isExempt(type: ResourceType): boolean {
  return type.group === 'admissionregistration.k8s.io'
}

/** The options of a request, as webhooks receive them. */
function optionsOf({ info, verb }: AskedWrite, body: () => JsonObject): JsonObject {
  const { query } = info
  if (verb === 'delete' || verb === 'deletecollection') {
    const given = body()
    const options: JsonObject = { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1' }
    for (const field of ['gracePeriodSeconds', 'preconditions', 'orphanDependents', 'propagationPolicy', 'dryRun']) {
      const value = own(given, field)
      if (value !== undefined && value !== null) options[field] = value
    }
    if (Object.keys(given).length > 0) return options
    const grace = query.get('gracePeriodSeconds')
    if (grace !== null && grace !== '') options.gracePeriodSeconds = Number(grace)
    const preconditions = queriedPreconditions(query)
    if (preconditions !== undefined) options.preconditions = preconditions
    if (query.has('orphanDependents')) options.orphanDependents = isTrue(query.get('orphanDependents'))
    const policy = query.get('propagationPolicy') ?? ''
    if (policy !== '') options.propagationPolicy = policy
    return withDryRun(options, query)
  }
  // A patch counts as an update.
  const kind = verb === 'create' ? 'CreateOptions' : 'UpdateOptions'
  const options = withDryRun({ kind, apiVersion: 'meta.k8s.io/v1' }, query)
  for (const field of ['fieldManager', 'fieldValidation']) {
    const value = query.get(field) ?? ''
    if (value !== '') options[field] = value
  }
  return options
}

function withDryRun(options: JsonObject, query: URLSearchParams): JsonObject {
  const dryRun = query.getAll('dryRun').filter(one => one !== '')
  if (dryRun.length > 0) options.dryRun = dryRun
  return options
}
