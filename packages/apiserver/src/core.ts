import type { JsonObject } from '@wherry/cel/internal'
import type { AdmissionWebhooks } from './admission/admission-webhooks.ts'
import type { AccessControl } from './authn/access.ts'
import type { Clock } from './clock.ts'
import { answerLog } from './containers/answer-log.ts'
import { connect, isConnection } from './containers/connect.ts'
import type { ContainerHandlers } from './containers/handlers.ts'
import type { Definitions } from './controllers/definitions.ts'
import type { NamespaceController } from './controllers/namespace-controller.ts'
import { CorruptError } from './conversion/conversion.ts'
import type { Registry } from './definitions/registry.ts'
import type { ServerReply, ServerRequest } from './exchange.ts'
import type { FaultEffect } from './faults/fault-rule.ts'
import type { Faults } from './faults/faults.ts'
import { ShapedReply } from './faults/shaped-reply.ts'
import { notAResourceVersion, parseResourceVersion } from './objects/resource-version.ts'
import { metadataText, withHead, withoutManagedFields } from './objects/stored.ts'
import type { Outside } from './outside/outside.ts'
import { checkAggregated } from './read/aggregated.ts'
import { componentStatus, componentStatuses, isComponentStatus } from './read/component-statuses.ts'
import type { Flusher } from './read/flusher.ts'
import { type ListSource, list, sendList, tooLargeAfterMs } from './read/list.ts'
import { answerPath } from './read/paths.ts'
import { includedOf, tableOf } from './read/table.ts'
import { openWatch } from './read/watch.ts'
import type { WatchStream } from './read/watch-stream.ts'
import { askedRight, selectedName } from './requests/asked-right.ts'
import { parseListOptions } from './requests/list-options.ts'
import { negotiate, negotiateRefusal } from './requests/representation.ts'
import { parseRequestPath, type RequestInfo, type ResourceTarget, verbOf } from './requests/request-info.ts'
import type { ResourceType } from './resources/resource-type.ts'
import { Responder } from './responder.ts'
import type { AccountTokens } from './reviews/account-tokens.ts'
import { answerAction, isAction, isQuestion, isSubresourceAction } from './reviews/answer-review.ts'
import type { Counters } from './stats.ts'
import { StatusError } from './status.ts'
import { resourceKey, type Store } from './store/store.ts'
import { strategyOf } from './strategies/strategy-of.ts'
import { answerWrite } from './write/answer.ts'
import { withJsonBody } from './write/content-type.ts'
import { parseOptions } from './write/options.ts'
import { isOwnPart } from './write/parts.ts'
import type { Writer } from './write/writer.ts'

/** The parts that a server is made of. */
export interface CoreParts {
  readonly store: Store
  readonly registry: Registry
  readonly writer: Writer
  readonly definitions: Definitions
  readonly namespaces: NamespaceController
  readonly access: AccessControl
  readonly outside: Outside
  readonly webhooks: AdmissionWebhooks
  /** Tokens of service accounts. */
  readonly tokens: AccountTokens
  readonly faults: Faults
  readonly counters: Counters
  readonly flusher: Flusher
  readonly clock: Clock
  readonly random: () => number
  /** Open watches by resource. */
  readonly watches: WatchSet
  readonly hasWatchCache: (resource: string) => boolean
  /** Whether `shardSelector` is understood. Otherwise it is silently ignored, as with the feature gate off. */
  readonly shards: boolean
  /** Whether the Accept parameter `drop=metadata.managedFields` is understood. Otherwise the parameter is ignored. */
  readonly managedFieldsOptOut: boolean
  /** Whether the controllers of a control plane run. */
  readonly controlled: boolean
  /** The handlers that play the containers of Pods. */
  readonly containers: ContainerHandlers
}

/** The open watches, by resource. */
export class WatchSet {
  readonly #open = new Map<string, Set<WatchStream>>()

  add(resource: string, stream: WatchStream): void {
    const set = this.#open.get(resource) ?? new Set()
    this.#open.set(resource, set.add(stream))
    stream.onEnd(() => set.delete(stream))
  }

  /** Ends the watches of one resource, or all, cleanly. */
  end(resource?: string): void {
    for (const [key, set] of this.#open) {
      if (resource === undefined || key === resource) for (const stream of [...set]) stream.end()
    }
  }
}

/** Answers one request. Never throws. */
export function handle(parts: CoreParts, request: ServerRequest, reply: ServerReply): void {
  const info = parseRequestPath(request.path)
  const target = info?.target
  const verb =
    info === undefined || target === undefined
      ? request.method.toLowerCase()
      : verbOf(request.method, target, info.query)
  const resource = target === undefined ? '-' : resourceKey({ group: target.group, plural: target.resource })
  const effects = parts.faults.effectsOn({
    verb,
    resource,
    namespace: target?.namespace ?? '',
    name: target === undefined || info === undefined ? '' : selectedName(target.name, info.query),
    subresource: target?.subresource ?? '',
  })
  const drop = effects.find(one => one.kind === 'drop')
  const delivered = drop === undefined ? reply : undelivered(reply)
  const shaped = effects.length === 0 ? reply : new ShapedReply(delivered, request.peer, parts.clock, effects)
  const counter = parts.counters.for(verb, resource)
  counter.requests++
  const responder = new Responder(shaped, counter)
  if (info !== undefined) responder.refusal = negotiateRefusal(request.headers, info.query)
  const effect = <K extends FaultEffect['kind']>(kind: K): Extract<FaultEffect, { kind: K }> | undefined =>
    effects.find((one): one is Extract<FaultEffect, { kind: K }> => one.kind === kind)
  for (const fault of effects) if (fault.kind === 'warning') responder.warn(fault.text)
  if (effect('goaway') !== undefined) request.peer.goaway()
  if (drop !== undefined && drop.after !== true) return request.peer.destroy()
  const work = (): void => {
    const refusal = effect('status')
    if (refusal !== undefined) throw refused(refusal)
    if (effect('expired') !== undefined && verb !== 'watch') {
      throw StatusError.expired('The resourceVersion for the provided list is too old.')
    }
    if (info === undefined) throw StatusError.badRequest('invalid URL escape')
    answer(parts, request, info, verb, responder, effects)
    if (drop !== undefined) request.peer.destroy()
  }
  const failed = (error: unknown): void => {
    refuse(parts, responder, error)
    if (drop !== undefined) request.peer.destroy()
  }
  parts.outside.carryOut(work, failed, () => responder.over)
}

/** A reply that never reaches the other side. */
function undelivered(reply: ServerReply): ServerReply {
  return {
    head: () => undefined,
    write: () => true,
    end: () => undefined,
    rst: () => undefined,
    onDrain: fn => reply.onDrain(fn),
    onClose: fn => reply.onClose(fn),
  }
}

function refused(effect: Extract<FaultEffect, { kind: 'status' }>): StatusError {
  const { code, reason = '', message = 'a fault of the test', retryAfterSeconds, plain } = effect
  return new StatusError(code, reason, message, {
    plain,
    details: retryAfterSeconds === undefined ? undefined : { retryAfterSeconds },
    headers: retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
  })
}

/** Sends a refusal. If the refused resourceVersion does not exist yet, the refusal comes after the wait of the real server. */
function refuse(parts: CoreParts, responder: Responder, error: unknown): void {
  const status =
    error instanceof StatusError
      ? error
      : new StatusError(
          500,
          'InternalError',
          `embedded API server: ${error instanceof Error ? error.stack : String(error)}`,
        )
  if (status.code !== 504 || status.headers['retry-after'] === undefined) return responder.refuse(status)
  const timer = parts.clock.timer(tooLargeAfterMs, () => {
    if (!responder.over) responder.refuse(status)
  })
  responder.onClose(() => timer.cancel())
}

function answer(
  parts: CoreParts,
  request: ServerRequest,
  info: RequestInfo,
  verb: string,
  responder: Responder,
  effects: readonly FaultEffect[],
): void {
  const user = parts.access.authenticate(request)
  const { target } = info
  const asked = { user, ...askedRight(info, verb) }
  parts.access.authorize(asked)
  checkAggregated(parts.store, info.path)
  if (target === undefined) return answerPath(parts, request, info, responder)
  const type = parts.registry.resolve(target.group, target.version, target.resource)
  if (target.namespace !== '' && !type.namespaced) {
    throw type.custom ? StatusError.noSuchPath() : StatusError.noSuchResource()
  }
  if (
    type.deprecation !== undefined &&
    (type.verbs.includes(verb === 'watch' ? 'list' : verb) || target.subresource !== '')
  ) {
    responder.warn(type.deprecation)
  }
  if (isConnection(type, target.subresource)) {
    if (verb !== 'create') parts.access.authorize({ ...asked, verb: 'create' })
    const { object } = parts.writer.read(type, target.namespace, target.name)
    return connect(parts.containers, { request, info, target, pod: object })
  }
  // A HEAD takes the right of a GET, and no resource answers it.
  if (request.method === 'HEAD') throw StatusError.methodNotAllowed()
  checkServed(type, target, verb)
  parts.definitions.gate(type)
  if (verb === 'list' || verb === 'watch') return answerCollection(parts, request, info, type, verb, responder, effects)
  if (isLog(type, target.subresource)) {
    const { object } = parts.writer.read(type, target.namespace, target.name)
    return answerLog(parts, object, info.query, responder)
  }
  if (verb === 'get' && target.subresource !== 'scale') return answerObject(parts, request, info, type, responder)
  const representation = negotiate(request.headers, info.query, {
    what: verb === 'deletecollection' ? 'list' : 'object',
    type,
    drops: parts.managedFieldsOptOut,
  })
  responder.present(representation)
  const inJson = withJsonBody(request, type)
  const body = (): JsonObject => (inJson.body.length === 0 ? {} : parseOptions(inJson))
  try {
    parts.webhooks.during({ info, target, type, verb, user, responder }, body, () => {
      const write = { request: inJson, info, target, type, verb, responder, user, representation, strategyOf }
      if (isAction(type, target)) answerAction(parts, write)
      else answerWrite(parts, write)
    })
  } catch (error) {
    throw error instanceof CorruptError && (verb === 'update' || verb === 'patch') ? error.forWrite : error
  }
}

function isLog({ group, plural, custom }: ResourceType, subresource: string): boolean {
  return !custom && group === '' && plural === 'pods' && subresource === 'log'
}

/** Refuses requests for resources, subresources and verbs that this server does not serve: with a 501 if a real server serves them. */
function checkServed(type: ResourceType, target: ResourceTarget, verb: string): void {
  const { subresource } = target
  const what = resourceKey(type)
  if (!type.custom && !type.verbs.includes('watch') && !isQuestion(type) && !isComponentStatus(type))
    throw StatusError.missing(what)
  if (subresource !== '') {
    const known = type.subresources.find(({ name }) => name === subresource)
    if (known === undefined) {
      // The server of custom resources has no list of subresources: it answers that nothing was found.
      throw type.custom ? StatusError.notFound(type, target.name) : StatusError.noSuchResource()
    }
    const written =
      subresource === 'status' || subresource === 'scale' || subresource === 'finalize' || isOwnPart(subresource)
    if (!written && !isLog(type, subresource) && !isSubresourceAction(type, subresource)) {
      throw StatusError.missing(`${what}/${subresource}`)
    }
    if (!known.verbs.includes(verb))
      throw type.custom ? StatusError.notSupported(type, verb) : StatusError.methodNotAllowed()
    return
  }
  if (!type.verbs.includes(verb)) {
    if (verb === 'watch' && type.verbs.includes('list')) throw StatusError.notSupported(type, verb)
    throw StatusError.methodNotAllowed()
  }
  // The server of custom resources ignores the name in the path of a create.
  if (verb === 'create' && target.name !== '' && !type.custom) throw StatusError.methodNotAllowed()
  if ((verb === 'update' || verb === 'patch') && target.name === '') {
    throw type.custom ? StatusError.badRequest('name must be provided') : StatusError.methodNotAllowed()
  }
  if (type.namespaced && target.namespace === '') {
    if (target.name !== '') throw StatusError.noSuchResource()
    if (verb === 'create' || verb === 'deletecollection') {
      throw type.custom ? StatusError.noSuchPath() : StatusError.methodNotAllowed()
    }
  }
}

function answerCollection(
  parts: CoreParts,
  request: ServerRequest,
  info: RequestInfo,
  type: ResourceType,
  verb: 'list' | 'watch',
  responder: Responder,
  effects: readonly FaultEffect[],
): void {
  const { clock, flusher, random } = parts
  const watch = verb === 'watch'
  const representation = negotiate(request.headers, info.query, { what: verb, type, drops: parts.managedFieldsOptOut })
  responder.present({ ...representation, pretty: !watch && representation.pretty })
  const query = new URLSearchParams(info.query)
  // The deprecated path of a watch may name one object.
  if (info.target?.watch && info.target.name !== '') query.set('fieldSelector', `metadata.name=${info.target.name}`)
  const options = parseListOptions(query, type, watch, parts.shards)
  const resource = resourceKey(type)
  const source: ListSource = {
    store: parts.store,
    type,
    namespace: info.target?.namespace ?? '',
    watchCache: parts.hasWatchCache(resource),
  }
  if (watch) {
    const stream = openWatch(source, { query, options, representation, responder, effects, clock, random, flusher })
    parts.watches.add(resource, stream)
    return
  }
  const found = isComponentStatus(type) ? componentStatuses(options, type, parts.controlled) : list(source, options)
  sendList(responder, type, found, options, representation, {
    now: clock.now(),
    include: includedOf(query, representation.as),
  })
}

function answerObject(
  parts: CoreParts,
  request: ServerRequest,
  info: RequestInfo,
  type: ResourceType,
  responder: Responder,
): void {
  const representation = negotiate(request.headers, info.query, {
    what: 'object',
    type,
    drops: parts.managedFieldsOptOut,
  })
  const { namespace = '', name = '' } = info.target ?? {}
  const askedText = info.query.get('resourceVersion') ?? ''
  const asked = askedText === '' ? 0 : parseResourceVersion(askedText)
  if (asked === undefined) throw new StatusError(500, '', notAResourceVersion(askedText))
  if (asked > parts.store.revision) throw StatusError.tooLarge(asked, parts.store.revision, 1)
  const version = isComponentStatus(type)
    ? componentStatus(name, parts.controlled)
    : parts.writer.find(type, namespace, name)
  const shown = representation.lean ? withoutManagedFields(version) : version
  let text: string
  if (representation.as === 'metadata') text = metadataText(shown)
  else if (representation.as === 'table')
    text = tableOf(type, version, { now: parts.clock.now(), first: true, include: includedOf(info.query, 'table') })
  else text = withHead(shown, type.apiVersion, type.kind, type.custom)
  responder.present(representation)
  responder.latin1(200, `${text}\n`, text.length)
}
