/**
 * A handler read a view that no synced informer serves. The read does not wait. If the handler does not catch this error, `failurePolicy` decides the answer to
 * the request.
 *
 * @example
 * ```ts
 * import { NotInCacheError } from '@wherry/webhook'
 *
 * // In a handler: a view that no informer serves can't be read.
 * export const isCacheMissing = (error: unknown): boolean => error instanceof NotInCacheError
 * ```
 */
export class NotInCacheError extends Error {
  override readonly name = 'NotInCacheError'
  readonly code = 'NOT_IN_CACHE'
  /** Key of the view. */
  readonly view: string

  constructor(view: string, isDeclared: boolean) {
    const why = isDeclared ? 'its informer has not synced yet' : 'no informer has it: declare it with .reads(view)'
    super(`${view} can't be read from the cache: ${why}`)
    this.view = view
  }
}

/** The mistake of a program in the use of its webhooks. */
export type WebhookUsageCode =
  /** A webhook was declared without a resource or a handler. */
  | 'WEBHOOK_INCOMPLETE'
  /** Two webhooks of one operator have the same name. */
  | 'WEBHOOK_NAME_TAKEN'
  /** A webhook was declared twice, or after the operator was run. */
  | 'WEBHOOK_USED'
  /** The port that the configurations name is not known yet. */
  | 'NO_PORT_YET'
  /** There is no webhook of that name. */
  | 'UNKNOWN_WEBHOOK'
  /** A conversion has no version but the hub. */
  | 'CONVERSION_INCOMPLETE'
  /** A kind has two conversions, or a version two converters. */
  | 'CONVERSION_TAKEN'

/**
 * The program declares its webhooks wrongly: `code` names the mistake, and the message has the remedy. Fix the program; do not catch this error.
 */
export class WebhookUsageError extends Error {
  override readonly name = 'WebhookUsageError'
  readonly code: WebhookUsageCode

  constructor(code: WebhookUsageCode, message: string) {
    super(message)
    this.code = code
  }
}

/** A handler did not end within its deadline, which is 80 % of `timeoutSeconds`. `failurePolicy` decides the answer to the request. */
export class HandlerDeadlineError extends Error {
  override readonly name = 'HandlerDeadlineError'
  readonly code = 'HANDLER_DEADLINE'
  /** The deadline, in milliseconds. */
  readonly deadlineMs: number

  constructor(deadlineMs: number) {
    super(`the handler did not end within ${deadlineMs} ms`)
    this.deadlineMs = deadlineMs
  }
}

/** A handler called `deny` or `warn` after its request was answered: the call has no effect. Await all that the handler starts. */
export class AnsweredAlreadyError extends Error {
  override readonly name = 'AnsweredAlreadyError'
  readonly code = 'ANSWERED_ALREADY'

  constructor(webhook: string, call: 'deny' | 'warn') {
    super(`the handler of ${webhook} called ${call} after its request was answered: await all that it starts`)
  }
}

/** The reason why no answer can carry the result of a handler. */
export type InvalidAnswerCode =
  /** The handler changed a field that a mutating webhook may not change. */
  | 'FORBIDDEN_CHANGE'
  /** The handler set a value that JSON does not have. */
  | 'NOT_JSON'
  /** The handler returned a value. */
  | 'RETURNED_VALUE'

/** The result of a handler is no valid answer. `code` is the reason, and `path` the field. `failurePolicy` decides the answer to the request. */
export class InvalidAnswerError extends Error {
  override readonly name = 'InvalidAnswerError'
  readonly code: InvalidAnswerCode
  /** A JSON pointer; `''` if the error is not about a field. */
  readonly path: string

  constructor(code: InvalidAnswerCode, path: string, message: string) {
    super(message)
    this.code = code
    this.path = path
  }
}

/**
 * Another writer resets the `caBundle` of the operator's webhooks again and again. Sent to `onError` once, and again only after two minutes without a reset.
 */
export class BundleFightError extends Error {
  override readonly name = 'BundleFightError'
  readonly code = 'BUNDLE_FIGHT'
  /** The kind and the name of the configuration. */
  readonly configuration: string
  /** The field managers that own a bundle, other than the operator's; if there is none, the manager that wrote last. */
  readonly managers: readonly string[]

  constructor(configuration: string, managers: readonly string[]) {
    const by = managers.length === 0 ? 'somebody' : `the manager ${managers.join(', ')}`
    super(
      `${by} resets caBundle of ${configuration} again and again, so the API server refuses the webhooks until it is mended: remove caBundle from the manifest`,
    )
    this.configuration = configuration
    this.managers = managers
  }
}

/**
 * The Service of the webhooks does not exist, so the operator writes no configuration that names it: otherwise an API server could call no webhook, and would
 * refuse the requests for webhooks with `failurePolicy` `Fail`. Sent to `onError` once, and again only if the Service was created and deleted since.
 */
export class ServiceMissingError extends Error {
  override readonly name = 'ServiceMissingError'
  readonly code = 'SERVICE_MISSING'
  /** `namespace/name` */
  readonly service: string

  constructor(service: string) {
    super(
      `the Service ${service} does not exist, so no webhook configuration and no conversion is written: apply the manifests, or run the program with "wherry dev --cluster" if it runs outside of the cluster`,
    )
    this.service = service
  }
}

/** A file of `certificates.files` can't be used. The message repeats nothing of the file. */
export class CertificateFileError extends Error {
  override readonly name = 'CertificateFileError'
  readonly code = 'CERTIFICATE_FILE'
  readonly path: string

  constructor(path: string, problem: string) {
    super(`the file ${path} of certificates.files can't be used: ${problem}`)
    this.path = path
  }
}
