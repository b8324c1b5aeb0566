import { OptionRangeError, OptionTypeError, type Scale, type View } from '@wherry/client'
import { callback, checkOptions, integer, oneOf, viewCheck } from '@wherry/client/internal'
import { WebhookUsageError } from '../errors.ts'
import type { Mutate, Validate } from '../handler/context.ts'
import type { Operation } from '../handler/request.ts'
import type { AnyHandler, FailurePolicy, WebhookDefinition } from './definition.ts'
import { checkReviewed } from './resource-check.ts'
import { checkWhen } from './when.ts'

/** Which requests a webhook is called for. */
export interface SubresourceOptions {
  /**
   * A CEL expression over `object`, `oldObject` and `request`: the webhook is called only if the expression is true. The API server evaluates the expression,
   * so other requests cost no call. @default every request
   */
  readonly when?: string | undefined
}

/** Which requests a webhook is called for. */
export interface ForOptions<O extends Operation> extends SubresourceOptions {
  /** The operations for which the webhook is called. @default CREATE and UPDATE: a deletion passes without a call */
  readonly operations?: readonly O[] | undefined
  /**
   * `changed`: an update that changes only the status, or metadata other than labels, passes without a call, so a finalizer can always be
   * removed. `all`: the webhook is called for every update.
   * @default 'changed'
   */
  readonly updates?: 'changed' | 'all' | undefined
}

type Settings = Omit<WebhookDefinition, 'name' | 'failurePolicy' | 'handler' | 'type'>

/**
 * A webhook that has only a name so far: the next step is `for`.
 *
 * @example
 * ```ts
 * import { configMaps } from '@wherry/client/resources/core'
 * import type { Operator } from '@wherry/controller'
 * import { Webhooks } from '@wherry/webhook'
 *
 * export function declare(operator: Operator): void {
 *   const webhooks = new Webhooks(operator, { service: 'settings-operator' })
 *   webhooks.webhook('colour').for(configMaps.within({ labels: 'example.com/settings' })).mutate(({ draft }) => {
 *     draft.data = { colour: 'blue', ...draft.data }
 *   })
 * }
 * ```
 */
export class NamedWebhook {
  readonly name: string
  #builder: WebhookBuilder<never, Operation> | undefined

  constructor(name: string) {
    this.name = name
  }

  /**
   * The objects for which requests are reviewed. The labels of the view, and its namespaces, go into the configuration. Objects in `kube-system`,
   * and in the operator's own namespace, are left out unless the view names that namespace.
   *
   * @throws OptionTypeError, OptionRangeError; also for a resource for which a webhook would be dangerous
   */
  for<C, O extends Operation = 'CREATE' | 'UPDATE'>(view: View<C>, options: ForOptions<O> = {}): WebhookBuilder<C, O> {
    checkOptions('for', options, {
      when: checkWhen,
      operations: checkOperations,
      updates: oneOf('changed', 'all'),
    })
    const { operations = ['CREATE', 'UPDATE'] as const, updates = 'changed', when } = options
    return this.#begin(view, undefined, operations as readonly Operation[], updates, when)
  }

  /** The updates of the objects' `status`. A mutating handler may change the status, and nothing else. */
  forStatus<C>(view: View<C>, options: SubresourceOptions = {}): WebhookBuilder<C, 'UPDATE'> {
    checkOptions('forStatus', options, { when: checkWhen })
    return this.#begin(view, 'status', ['UPDATE'], 'all', options.when)
  }

  /** The updates of the objects' `scale`. A mutating handler may change the `spec` of the scale, and nothing else. */
  forScale(view: View, options: SubresourceOptions = {}): WebhookBuilder<Scale, 'UPDATE'> {
    checkOptions('forScale', options, { when: checkWhen })
    return this.#begin(view, 'scale', ['UPDATE'], 'all', options.when)
  }

  /** @throws WebhookUsageError if the webhook has no resource, or no handler; OptionRangeError if a validating webhook has a `reinvocation` */
  definition(groups: ReadonlySet<string>): WebhookDefinition {
    if (this.#builder === undefined) throw lacks(this.name, 'a resource: name it with .for(view)')
    return this.#builder.definition(groups)
  }

  #begin<C, O extends Operation>(
    view: View,
    subResource: WebhookDefinition['subResource'],
    operations: readonly Operation[],
    updates: 'changed' | 'all',
    when: string | undefined,
  ): WebhookBuilder<C, O> {
    checkReviewed('for', view)
    if (this.#builder !== undefined)
      throw new WebhookUsageError('WEBHOOK_USED', `the webhook ${this.name} has a resource already`)
    const rest = { reads: [], timeoutSeconds: 5, reinvocation: 'Never' } as const
    const builder = new WebhookBuilder<C, O>(this.name, { view, subResource, operations, updates, when, ...rest })
    this.#builder = builder as unknown as WebhookBuilder<never, Operation>
    return builder
  }
}

/**
 * A webhook that is being declared. The last step is `validate` or `mutate`.
 *
 * @example
 * ```ts
 * import { configMaps } from '@wherry/client/resources/core'
 * import type { Operator } from '@wherry/controller'
 * import { Webhooks } from '@wherry/webhook'
 *
 * export function declare(operator: Operator): void {
 *   const webhooks = new Webhooks(operator, { service: 'settings-operator' })
 *   webhooks.webhook('keep').for(configMaps, { operations: ['DELETE'] }).failurePolicy('Ignore')
 *     .validate(({ old, deny }) => { if (old.metadata.labels?.keep === 'true') deny('this ConfigMap is kept') })
 * }
 * ```
 */
export class WebhookBuilder<C, O extends Operation> {
  readonly name: string
  #settings: Settings
  #failurePolicy: FailurePolicy | undefined
  #handler: Pick<WebhookDefinition, 'type' | 'handler'> | undefined

  constructor(name: string, settings: Settings) {
    this.name = name
    this.#settings = settings
  }

  /** Keeps a view in the operator's cache for `read`. The operator is ready only once the view is synced. */
  reads(view: View): this {
    viewCheck('reads', view)
    this.#settings = { ...this.#settings, reads: [...this.#settings.reads, view] }
    return this
  }

  /**
   * Whether a request is refused (`Fail`) or passes (`Ignore`) if the webhook can't be called, throws, or is past its deadline.
   * @default `Fail` for resources of the operator's own groups, else `Ignore`
   */
  failurePolicy(failurePolicy: FailurePolicy): this {
    oneOf('Fail', 'Ignore')('failurePolicy', failurePolicy)
    this.#failurePolicy = failurePolicy
    return this
  }

  /** How long the API server waits for an answer, in seconds. The handler has 80 % of this time. @default 5 */
  timeoutSeconds(timeoutSeconds: number): this {
    integer(1, 30)('timeoutSeconds', timeoutSeconds)
    this.#settings = { ...this.#settings, timeoutSeconds }
    return this
  }

  /** Whether a mutating handler is called again if another webhook has changed the object after it. @default 'Never' */
  reinvocation(reinvocation: 'Never' | 'IfNeeded'): this {
    oneOf('Never', 'IfNeeded')('reinvocation', reinvocation)
    this.#settings = { ...this.#settings, reinvocation }
    return this
  }

  /** The function that checks a request and may refuse it: see {@link Validate}. */
  validate(handler: Validate<C, O>): this {
    return this.#handle('validating', handler as unknown as AnyHandler)
  }

  /** The function that changes the object before it is stored: see {@link Mutate}. Not for a webhook that reviews deletions. */
  mutate(handler: [Extract<O, 'DELETE'>] extends [never] ? Mutate<C, O> : never): this {
    if (this.#settings.operations.includes('DELETE'))
      throw new OptionRangeError('for.operations', 'CREATE and UPDATE for mutate', 'DELETE')
    return this.#handle('mutating', handler as unknown as AnyHandler)
  }

  /** @throws WebhookUsageError without a handler; OptionRangeError if a validating webhook has a `reinvocation` */
  definition(groups: ReadonlySet<string>): WebhookDefinition {
    if (this.#handler === undefined) throw lacks(this.name, 'a handler: add it with .validate(fn) or .mutate(fn)')
    const isOwn = groups.has(this.#settings.view.resource.group)
    const failurePolicy = this.#failurePolicy ?? (isOwn ? 'Fail' : 'Ignore')
    if (this.#settings.reinvocation !== 'Never' && this.#handler.type === 'validating')
      throw new OptionRangeError('reinvocation', 'nothing for a validating webhook', '"IfNeeded"')
    return { ...this.#settings, ...this.#handler, name: this.name, failurePolicy }
  }

  #handle(type: WebhookDefinition['type'], handler: AnyHandler): this {
    callback(type === 'mutating' ? 'mutate' : 'validate', handler)
    if (this.#handler !== undefined)
      throw new WebhookUsageError('WEBHOOK_USED', `the webhook ${this.name} has a handler: declare another webhook`)
    this.#handler = { type, handler }
    return this
  }
}

function lacks(name: string, what: string): WebhookUsageError {
  return new WebhookUsageError('WEBHOOK_INCOMPLETE', `the webhook ${name} lacks ${what}`)
}

function checkOperations(option: string, value: unknown): void {
  const takes = 'a list of CREATE, UPDATE and DELETE, each once'
  if (!Array.isArray(value)) throw new OptionTypeError(option, takes, typeof value)
  if (value.length === 0) throw new OptionRangeError(option, takes, 'an empty list')
  value.forEach((one, at) => {
    oneOf('CREATE', 'UPDATE', 'DELETE')(`${option}[${at}]`, one)
  })
  if (new Set(value).size < value.length) throw new OptionRangeError(option, takes, value.join(', '))
}
