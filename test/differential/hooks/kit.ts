import { setTimeout as after } from 'node:timers/promises'
import type { Said } from '../run-scenario.ts'
import { as } from '../scenario.ts'
import type { RawWatch, SentHeaders, Target } from '../target.ts'
import { watchCacheHolds } from '../watch-cache.ts'
import { allow, type HookHandler, type HookServer, type Review } from './hook-server.ts'

const withinMs = 300_000
const everyMs = 20

/** The user that asks, in both servers alike. */
export const somebody = as('ann', 'system:masters')

/** What is sent with a request beside its body. */
export interface Ask {
  readonly body?: unknown
  readonly type?: string | undefined
  readonly headers?: SentHeaders | undefined
}

/** A scenario that needs more than data: webhooks that answer. `except`: where answers may differ, as in `Scenario`. */
export interface HookScenario {
  readonly name: string
  readonly run: (kit: Kit) => Promise<void>
  readonly except?: readonly string[]
}

/** What a scenario does to one server, and what that said. */
export class Kit {
  readonly said: Said[] = []
  readonly ns: string
  /** An API group of the scenario's own. */
  readonly group: string
  readonly hooks: HookServer
  readonly #target: Target
  readonly #undo: (() => Promise<void>)[] = []

  constructor(target: Target, hooks: HookServer, ns: string) {
    this.#target = target
    this.hooks = hooks
    this.ns = ns
    this.group = `${ns}.example.com`
  }

  /** Asks, and has the answer compared. What it wrote is in the server's cache when this returns. */
  async ask(method: string, path: string, { body, type, headers }: Ask = {}): Promise<Json> {
    const answer = await this.#ask(method, path, { body, type, headers })
    this.said.push({ step: `${method} ${path}`, ...answer })
    const written = answer.body as Json
    // A real server tries an update on what its watch cache holds, and when that is old it calls the webhooks a second
    // time, with the stored object.
    const version = written?.metadata?.resourceVersion
    if (method !== 'GET' && answer.status < 300 && version !== undefined) {
      await watchCacheHolds(this.#target, this.#filled(path), version)
    }
    return written
  }

  /** Asks for what belongs to the setting. */
  async quietly(method: string, path: string, body?: unknown): Promise<Json> {
    const type = method === 'PATCH' && Array.isArray(body) ? 'application/json-patch+json' : undefined
    const answer = await this.#ask(method, path, { body, type, headers: {} })
    if (answer.status >= 300) throw new Error(`${this.#target.name}: ${method} ${path}: ${JSON.stringify(answer)}`)
    return answer.body as Json
  }

  /** Asks again and again, for what is not compared. */
  async until(path: string, holds: (body: Json, status: number) => boolean): Promise<Json> {
    const give = performance.now() + withinMs
    for (;;) {
      const { status, body } = await this.#ask('GET', path, {})
      if (holds(body as Json, status)) return body as Json
      if (performance.now() > give) throw new Error(`${this.#target.name}: ${path} stays ${JSON.stringify(body)}`)
      await after(everyMs)
    }
  }

  watch(path: string): Promise<RawWatch> {
    return this.#target.watch(this.#filled(path), {})
  }

  /** Has what a watch said compared once it has so many events or has ended. */
  async collect(path: string, watch: RawWatch, events: number): Promise<void> {
    await watch.until(one => one.state() !== 'open' || one.lines.length >= events, withinMs)
    watch.close()
    const lines = watch.lines.map(line => JSON.parse(line) as unknown)
    this.said.push({ step: `watch ${path}`, status: watch.status, headers: watch.headers, events: lines })
  }

  /**
   * Has the reviews that a webhook got compared. A `namespaceSelector` selects every cluster-scoped object but
   * Namespaces, so a webhook for all resources also gets reviews of the definitions that other scenarios create.
   */
  reviews(path: string): void {
    const own = ({ namespace, name }: Review['request']): boolean =>
      namespace === this.ns || (namespace === undefined && String(name).endsWith(this.group))
    const calls = this.hooks.calls(this.path(path)).filter(({ request }) => request.name !== 'probe' && own(request))
    const body = calls.map(({ kind, apiVersion, request }) => {
      const { uid: _, ...rest } = request
      return { kind, apiVersion, request: rest }
    })
    this.said.push({ step: `reviews at ${path}`, status: 0, headers: {}, body })
  }

  /** Has the requests compared that came to a path of the hook server. */
  requests(path: string): void {
    const body = this.hooks.requests(this.path(path))
    this.said.push({ step: `requests at ${path}`, status: 0, headers: {}, body })
  }

  /** Of the hook server, for this server alone. */
  path(path: string): string {
    return `/${this.#target.name}/${this.ns}${path}`
  }

  /** Where a webhook is, as configurations say it. */
  client(path: string): object {
    return { url: this.hooks.url + this.path(path), caBundle: this.hooks.caBundle }
  }

  /** Configures webhooks for the scenario's namespace, and waits until the server calls them. */
  async configure(kind: 'Mutating' | 'Validating', webhooks: readonly Webhook[], more = ''): Promise<void> {
    const collection = `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}webhookconfigurations`
    const name = `${kind.toLowerCase()}-${this.ns}${more}`
    const base = {
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': this.ns } },
    }
    const probe = {
      ...base,
      name: 'probe.example.com.x',
      clientConfig: this.client(`/probe-${kind}${more}`),
      rules: [rule(['CREATE'], ['configmaps'])],
      objectSelector: { matchLabels: { probe: name } },
    }
    const each = webhooks.map(({ path, handler, ...hook }) => {
      if (path !== undefined && handler !== undefined) this.hooks.on(this.path(path), handler)
      return { ...base, ...(path === undefined ? {} : { clientConfig: this.client(path) }), ...hook }
    })
    this.hooks.on(this.path(`/probe-${kind}${more}`), allow)
    const configuration = { apiVersion: 'admissionregistration.k8s.io/v1', kind: `${kind}WebhookConfiguration` }
    await this.quietly('POST', collection, { ...configuration, metadata: { name }, webhooks: [probe, ...each] })
    this.#undo.push(async () => void (await this.quietly('DELETE', `${collection}/${name}`)))
    const configMaps = `/api/v1/namespaces/${this.ns}/configmaps`
    const give = performance.now() + withinMs
    while (this.hooks.calls(this.path(`/probe-${kind}${more}`)).length === 0) {
      const body = { metadata: { name: 'probe', labels: { probe: name } }, data: { k: 'v' } }
      await this.#ask('POST', `${configMaps}?dryRun=All`, { body, headers: {} })
      if (performance.now() > give) throw new Error(`${this.#target.name}: ${name} does not come into force`)
      await after(everyMs)
    }
  }

  /** Makes policies for the scenario's namespace, each with its bindings, and waits until they are in force. */
  async bind(
    policies: Readonly<Record<string, Policy>>,
    kind: 'mutating' | 'validating' = 'validating',
  ): Promise<void> {
    const rules = [rule(['CREATE'], ['configmaps'])]
    const isProbe = "has(object.metadata.labels) && 'policies' in object.metadata.labels"
    const mutating = kind === 'mutating'
    const failing = {
      reinvocationPolicy: 'Never',
      matchConditions: [{ name: 'probe', expression: isProbe }],
      mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: string(1 / 0)}]' } }],
    }
    // It comes last: once it is in force, so are the others.
    const probe: Policy = {
      ...{ rules, bindings: { probe: {} } },
      spec: mutating ? failing : { validations: [{ expression: `!(${isProbe})` }] },
    }
    for (const [name, { rules, spec, bindings }] of Object.entries({ ...policies, probe })) {
      const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': this.ns } }
      const matchConstraints = { namespaceSelector, resourceRules: rules, ...spec.matchConstraints }
      await this.#admission(`${kind}admissionpolicies`, name, { ...spec, matchConstraints })
      for (const [binding, more] of Object.entries(bindings)) {
        const actions = mutating ? {} : { validationActions: ['Deny'] }
        const bound = { policyName: `${this.ns}-${name}`, ...actions, ...more }
        await this.#admission(`${kind}admissionpolicybindings`, binding, bound)
      }
    }
    const give = performance.now() + withinMs
    const body = { metadata: { name: 'probe', labels: { policies: 'yes' } }, data: { k: 'v' } }
    const path = `/api/v1/namespaces/${this.ns}/configmaps?dryRun=All`
    while ((await this.#ask('POST', path, { body })).status < 400) {
      if (performance.now() > give) throw new Error(`${this.#target.name}: policies do not come into force`)
      await after(everyMs)
    }
  }

  async #admission(plural: string, name: string, spec: object): Promise<void> {
    const collection = `/apis/admissionregistration.k8s.io/v1/${plural}`
    await this.quietly('POST', collection, { metadata: { name: `${this.ns}-${name}` }, spec })
    this.#undo.push(async () => void (await this.quietly('DELETE', `${collection}/${this.ns}-${name}`)))
  }

  /** Defines Games of the scenario's own group. */
  async define(versions: readonly object[], more: object = {}): Promise<void> {
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    const name = `games.${this.group}`
    await this.quietly('POST', definitions, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name },
      spec: {
        group: this.group,
        scope: 'Namespaced',
        names: { plural: 'games', singular: 'game', kind: 'Game' },
        versions,
        ...more,
      },
    })
    this.#undo.push(async () => void (await this.quietly('DELETE', `${definitions}/${name}`)))
    for (const { name: version, served } of versions as { name: string; served: boolean }[]) {
      if (served) await this.until(this.games(version), (_, status) => status === 200)
    }
  }

  games(version: string, name = ''): string {
    const collection = `/apis/${this.group}/${version}/namespaces/${this.ns}/games`
    return name === '' ? collection : `${collection}/${name}`
  }

  async begin(): Promise<void> {
    await this.quietly('POST', '/api/v1/namespaces', { metadata: { name: this.ns } })
  }

  async end(): Promise<void> {
    for (const undo of this.#undo.reverse()) await undo()
  }

  async #ask(method: string, path: string, { body, type, headers = somebody }: Ask): Promise<Omit<Said, 'step'>> {
    const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
    const sent = { ...headers, ...(type === undefined ? {} : { 'content-type': type }) }
    const answer = await this.#target.ask(method, this.#filled(path), sent, text)
    return { status: answer.status, headers: answer.headers, body: parsed(answer.text) }
  }

  #filled(path: string): string {
    return path.replaceAll('{ns}', this.ns)
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of every shape
type Json = any

/** A webhook of a configuration, and what answers for it. */
export interface Webhook {
  readonly name: string
  readonly path?: string
  readonly handler?: HookHandler
  readonly [field: string]: unknown
}

/** A policy, what it is about, and its bindings. */
export interface Policy {
  readonly rules: readonly object[]
  readonly spec: { readonly matchConstraints?: object; readonly [field: string]: unknown }
  readonly bindings: Readonly<Record<string, object>>
}

export function rule(operations: readonly string[], resources: readonly string[], more: object = {}): object {
  return { operations, apiGroups: ['*'], apiVersions: ['*'], resources, ...more }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
