import { isIPv6 } from 'node:net'
import { OptionTypeError, type Timer } from '@wherry/client'
import type { ComponentDeclaration, Operator, OperatorComponent } from '@wherry/controller'
import { NotYetError } from '@wherry/controller/internal'
import { type AdmissionAnswer, answer } from './admission/answer.ts'
import { patched } from './admission/patched.ts'
import { answerReview } from './admission/review.ts'
import type { HandlerParts } from './admission/run-handler.ts'
import { configurationHolder } from './bundles/configuration-holder.ts'
import { definitionHolder } from './bundles/definition-holder.ts'
import { pathsOf } from './certificates/certificate-files.ts'
import { certificatesFor, isSource } from './certificates-for.ts'
import { answerConversion } from './conversion/answer.ts'
import type { Conversion } from './conversion/conversion.ts'
import { type ConversionStanza, conversionPath, conversionStanza } from './conversion/stanza.ts'
import { TakenUp } from './conversion/taken-up.ts'
import { NamedWebhook } from './declaration/builder.ts'
import { pathOf, type WebhookDefinition } from './declaration/definition.ts'
import { webhooksDeclaration } from './declared.ts'
import { WebhookUsageError } from './errors.ts'
import type { AdmissionRequest } from './handler/request.ts'
import { KeptTrust } from './kept-trust.ts'
import { type Observation, observation, observedAdmission } from './observed.ts'
import { checkWebhookName, checkWebhooksOptions, serviceOf, type WebhooksOptions } from './options.ts'
import {
  nameSuffix,
  type WebhookConfiguration,
  type WebhookPlace,
  type WebhookService,
  webhookConfigurations,
} from './scope/configurations.ts'
import { blocksOwnPods } from './scope/own-pods.ts'
import { sparedNamespaces } from './scope/selectors.ts'
import { type AnswerHook, WebhookServer } from './server/webhook-server.ts'

const defaultPort = 9443
/** The time between two checks of whether the API server calls the webhooks, for a tool, in milliseconds. */
const askedEveryMs = 50

/**
 * The admission webhooks and the conversions of an operator. Every replica serves them, from the start of the operator's run until its end.
 *
 * @example
 * ```ts
 * import { configMaps } from '@wherry/client/resources/core'
 * import type { Operator } from '@wherry/controller'
 * import { Webhooks } from '@wherry/webhook'
 *
 * export function declare(operator: Operator): void {
 *   const webhooks = new Webhooks(operator, { service: 'settings-operator' })
 *   webhooks.webhook('has-colour').for(configMaps.within({ labels: 'example.com/settings' })).validate(({ object, deny }) => {
 *     if (object.data?.colour === undefined) deny('the colour is missing', { field: 'data.colour' })
 *   })
 * }
 * ```
 */
export class Webhooks {
  readonly #operator: Operator
  #service: WebhookService
  #options: WebhooksOptions
  readonly #named = new Map<string, NamedWebhook>()
  readonly #conversions = new Map<string, Conversion<never>>()
  readonly #readyChecks: (() => unknown)[] = []
  #listeners: Observation['listeners'] = []
  #isLeftOut = false
  #releases: (() => Promise<void>)[] = []
  #looks: Timer | undefined
  #server: WebhookServer | undefined
  #trust: KeptTrust | undefined
  /** The states of conversions, by the names of the definitions. */
  readonly #takenUp = new Map<string, TakenUp>()

  /**
   * Adds the webhooks to an operator. Does no I/O.
   *
   * @throws OptionTypeError, OptionRangeError; UsageError if the operator runs already
   */
  constructor(operator: Operator, options: WebhooksOptions) {
    checkWebhooksOptions(options)
    this.#operator = operator
    this.#options = options
    this.#service = serviceOf(options, operator.client.namespace)
    const component: OperatorComponent = {
      name: 'webhooks',
      start: () => this.#start(),
      ready: () => this.#checkReady(),
      declare: () => this.#declare(),
      stop: () => this.#stop(),
    }
    operator.addComponent(component)
  }

  /** The port that the server listens on; 0 while it does not listen. */
  get port(): number {
    return this.#server?.port ?? 0
  }

  /**
   * Declares a webhook. The webhook's path and its entry in the configuration contain `name`: lower-case letters, digits and `-`.
   *
   * @throws WebhookUsageError if the name is taken, or the operator was run; OptionTypeError, OptionRangeError
   */
  webhook(name: string): NamedWebhook {
    checkWebhookName(name)
    this.#checkIdle()
    if (this.#named.has(name))
      throw new WebhookUsageError('WEBHOOK_NAME_TAKEN', `the name ${name} is taken by another webhook: choose another`)
    const named = new NamedWebhook(name)
    this.#named.set(name, named)
    return named
  }

  /**
   * Serves a conversion, under a path of its own. The server listens before the operator lists objects.
   *
   * @throws WebhookUsageError if the conversion has only the version of the hub, if the kind has a conversion already, or if the operator was run;
   * OptionTypeError
   */
  convert<H>(conversion: Conversion<H>): this {
    if (!isConversion(conversion)) throw new OptionTypeError('convert', 'new Conversion(hub)', typeof conversion)
    this.#checkIdle()
    const { name, versions } = conversion
    if (versions.length === 1)
      throw new WebhookUsageError(
        'CONVERSION_INCOMPLETE',
        `the conversion of ${name} has no version but the hub: add one with .version(view, { toHub, fromHub })`,
      )
    if (this.#conversions.has(name))
      throw new WebhookUsageError('CONVERSION_TAKEN', `${name} has a conversion: declare all of its versions with one`)
    this.#conversions.set(name, conversion as Conversion<never>)
    return this
  }

  /**
   * The fields `spec.conversion` of the definitions of converted kinds, without `caBundle`. The operator applies them, unless
   * `configurations` is `manifest`.
   *
   * @throws WebhookUsageError if the option `address` is given with port 0 and the server does not listen yet
   */
  conversions(): ConversionStanza[] {
    return Array.from(this.#conversions.values(), one => conversionStanza(one, this.#place))
  }

  #checkIdle(): void {
    if (this.#operator.state !== 'idle')
      throw new WebhookUsageError('WEBHOOK_USED', 'webhooks are declared before the operator is run')
  }

  /**
   * The webhook configurations to apply: that of the validating webhooks and that of the mutating webhooks, if there are any. They have no `caBundle`.
   *
   * @throws WebhookUsageError if a webhook is incomplete, or if the option `address` is given with port 0 and the server does not listen yet
   */
  configurations(): WebhookConfiguration[] {
    return webhookConfigurations(this.#operator.name, this.#definitions(), this.#place)
  }

  get #place(): WebhookPlace {
    return { service: this.#service, origin: this.#origin }
  }

  get #origin(): string | undefined {
    const { address, port = defaultPort } = this.#options
    if (address === undefined) return undefined
    const listens = this.port || port
    if (listens === 0)
      throw new WebhookUsageError('NO_PORT_YET', 'with port 0, the configurations are known when the operator runs')
    return `https://${isIPv6(address) ? `[${address}]` : address}:${listens}`
  }

  /**
   * Answers a request by the handler of a webhook, without a server: for tests of handlers. `read` needs a running operator.
   *
   * @throws WebhookUsageError if there is no such webhook, or if it is incomplete
   */
  review(name: string, request: AdmissionRequest): Promise<AdmissionAnswer> {
    const found = this.#definitions().find(one => one.name === name)
    if (found === undefined) {
      const known = [...this.#named.keys()].join(', ') || 'none'
      throw new WebhookUsageError('UNKNOWN_WEBHOOK', `there is no webhook ${name}; there are: ${known}`)
    }
    return answer(found, structuredClone(request), this.#parts)
  }

  /**
   * Answers a request as {@link Webhooks.review} does, and then a second time with the object that the first answer changed, because an API server may call a
   * webhook twice. Resolves with the second answer; its patch is empty if the handler is idempotent. If the first answer refuses, resolves with the first.
   *
   * ```ts
   * expect((await webhooks.reinvoke('owner', request)).patch).toEqual([])
   * ```
   *
   * @throws WebhookUsageError if there is no such webhook, or if it is incomplete
   */
  async reinvoke(name: string, request: AdmissionRequest): Promise<AdmissionAnswer> {
    const first = await this.review(name, request)
    const { object } = request
    if (!first.allowed || !object) return first
    return this.review(name, { ...request, object: patched(object, first.patch) })
  }

  /** Adds a check, such as whether the API server trusts the certificate. The operator is ready only if the check passes. */
  addReadyCheck(check: () => unknown): void {
    this.#readyChecks.push(check)
  }

  get #parts(): HandlerParts {
    return { environment: this.#operator.client.environment, cache: this.#operator.cache }
  }

  #definitions(): readonly WebhookDefinition[] {
    const groups = new Set(this.#options.groups)
    return Array.from(this.#named.values(), one => one.definition(groups))
  }

  #declare(): ComponentDeclaration {
    const { address, host, port = defaultPort, certificates = {}, configurations = 'apply' } = this.#options
    const definitions = this.#definitions()
    const { files } = isSource(certificates) ? {} : certificates
    const isApplied = configurations === 'apply'
    const isKnown = address === undefined || port !== 0
    const details = {
      ...{ service: { port: 443, ...this.#service }, port, host, address, files: files && pathsOf(files) },
      fails: this.#conversions.size > 0 || definitions.some(one => one.failurePolicy === 'Fail'),
      configurations: isApplied || !isKnown ? [] : this.configurations(),
      conversions: isKnown ? this.conversions() : [],
    }
    const hasOwnCertificates = !isSource(certificates) && files === undefined
    return webhooksDeclaration({ operator: this.#operator.name, definitions, hasOwnCertificates, isApplied, details })
  }

  async #start(): Promise<void> {
    const { options, isLeftOut, listeners, asked } = observation(this.#operator.name, this.#options)
    this.#options = options
    this.#service = serviceOf(options, this.#service.namespace)
    this.#listeners = listeners
    this.#isLeftOut = isLeftOut
    if (isLeftOut) return
    for (const [name, conversion] of this.#conversions) {
      const takenUp = new TakenUp(this.#operator, conversion)
      this.#takenUp.set(name, takenUp)
      takenUp.start()
    }
    const definitions = this.#definitions()
    const { host, port = defaultPort, clientCa, http2 = false } = this.#options
    const { environment, cache } = this.#parts
    if (definitions.length + this.#conversions.size === 0)
      environment.onWarning(
        `the operator ${this.#operator.name} has no webhook: declare one with webhooks.webhook(…) or webhooks.convert(…)`,
      )
    for (const definition of definitions) {
      const why = blocksOwnPods(definition, this.#service.namespace)
      if (why !== undefined) environment.onWarning(why, { webhook: definition.name })
    }
    this.#releases = definitions.flatMap(({ name, reads }) =>
      reads.map(view => {
        const hold = cache.hold(view, `webhook/${name}`)
        return () => hold.release()
      }),
    )
    const certificates = certificatesFor(this.#operator, this.#service, this.#options)
    this.#trust = new KeptTrust(this.#operator, certificates, this.#options)
    await certificates.start()
    const hooks = new Map(definitions.map(one => [pathOf(one), this.#hook(one)]))
    for (const one of this.#conversions.values()) hooks.set(conversionPath(one), this.#conversionHook(one))
    this.#server = new WebhookServer({ hooks, certificates, environment, host, port, clientCa, http2 })
    await this.#server.listen()
    const served = { webhooks: definitions.map(({ name }) => name), conversions: [...this.#conversions.keys()] }
    // Logged, because otherwise only an object without a review would show this to a user.
    const unreviewed = sparedNamespaces(this.#service.namespace)
    environment.log('info', 'webhooks are served', { port: this.port, ...served, unreviewed })
    if (this.#options.address === undefined && this.#service.namespace === 'default' && definitions.length > 0)
      environment.onWarning(
        "no webhook reviews what is in the namespace default, because it is the operator's own: run it in a namespace of its own",
      )
    const suffix = nameSuffix(this.#operator.name)
    const configured = this.configurations().map(one => configurationHolder(one, suffix))
    const holders = [
      ...configured,
      ...this.conversions().map(one => definitionHolder(one, this.#takenUp.get(one.definition))),
    ]
    await this.#trust.start(holders)
    if (asked.length > 0)
      this.#reportAsked(() => asked.forEach(one => void one([...served.webhooks, ...served.conversions])))
  }

  /** Reports to a tool when the API server calls the webhooks. */
  #reportAsked(report: () => void): void {
    const { clock } = this.#parts.environment
    try {
      this.#trust?.checkReady()
      report()
    } catch {
      this.#looks = clock.timer(askedEveryMs, () => this.#reportAsked(report))
    }
  }

  #hook(definition: WebhookDefinition): AnswerHook {
    const { clock } = this.#parts.environment
    return async body => {
      const startedAt = clock.now()
      const since = clock.monotonic()
      const seen = (request: AdmissionRequest, answered: AdmissionAnswer): void => {
        const time = { startedAt, tookMs: clock.monotonic() - since }
        const admission = observedAdmission(definition, request, answered, time)
        for (const listener of this.#listeners) listener(admission)
      }
      const said = await answerReview(definition, body, this.#parts, this.#listeners.length > 0 ? seen : undefined)
      return 'review' in said ? { status: 200, text: said.review } : { status: 400, text: said.badRequest }
    }
  }

  #conversionHook(conversion: Conversion): AnswerHook {
    return async body => {
      const said = await answerConversion(conversion, body, this.#parts.environment)
      if ('review' in said) this.#takenUp.get(conversion.name)?.asked()
      return 'review' in said ? { status: 200, text: said.review } : { status: 400, text: said.badRequest }
    }
  }

  /** Throws while the server does not listen, while a cache that a handler reads is not synced, or while another check fails. */
  async #checkReady(): Promise<void> {
    if (this.#isLeftOut) return
    if (this.port === 0) throw new NotYetError('the webhook server does not listen')
    const { cache } = this.#parts
    for (const { name, reads } of this.#definitions())
      for (const view of reads)
        if (cache.covering(view) === undefined)
          throw new NotYetError(`the webhook ${name} waits for ${view.key} to sync`)
    this.#trust?.checkReady()
    for (const { obstacle } of this.#takenUp.values()) if (obstacle !== undefined) throw new NotYetError(obstacle)
    for (const check of this.#readyChecks) await check()
  }

  async #stop(): Promise<void> {
    this.#looks?.cancel()
    for (const one of this.#takenUp.values()) one.stop()
    await this.#trust?.stop()
    await this.#server?.close()
    await Promise.all(this.#releases.map(release => release()))
  }
}

/** Whether a value is a conversion. It checks the tag and not the class, because the value may be from another copy of this package. */
function isConversion(value: unknown): boolean {
  return Object.prototype.toString.call(value) === '[object WherryConversion]'
}
