import { isInvalid } from '@wherry/client'
import { isRequestTooLarge } from '@wherry/client/internal'
import { isOfWebhook, isPassing } from './retry.ts'

/** Why an object could not be rewritten. */
export type FailureReason =
  /** The object is larger than the server's maximum. */
  | 'too-large'
  /** The object is not valid by the schema of the version, or by the definition's rules. */
  | 'invalid'
  /** A webhook refuses the object, can't convert it, or does not answer. */
  | 'webhook'
  /** At each of several attempts, the server did not answer, or answered with a temporary error. */
  | 'unavailable'
  /** The server refuses the object for another reason. */
  | 'refused'

/** An object that could not be rewritten, so it may still be stored at an old version. */
export interface ObjectFailure {
  /** `undefined` for a cluster-scoped object. */
  readonly namespace?: string | undefined
  readonly name: string
  readonly reason: FailureReason
  /** The last error's message, cut after 300 characters. */
  readonly message: string
}

/** The maximum length of a message, so that the state of a run stays small. */
const maxMessage = 300

/** The failure that an error means for an object. */
export function failureOf(
  key: { readonly namespace?: string | undefined; readonly name: string },
  error: unknown,
): ObjectFailure {
  const { namespace, name } = key
  const said = error instanceof Error ? error.message : `${error}`
  // Drops the long text before the match, in which the server names the storage of the object.
  const message = /conversion webhook for [\s\S]*/.exec(said)?.[0] ?? said
  return {
    ...(namespace !== undefined && { namespace }),
    name,
    reason: reasonOf(error, message),
    message: message.length > maxMessage ? `${message.slice(0, maxMessage)}…` : message,
  }
}

function reasonOf(error: unknown, message: string): FailureReason {
  if (isRequestTooLarge(error)) return 'too-large'
  if (isOfWebhook(message)) return 'webhook'
  if (isInvalid(error)) return 'invalid'
  return isPassing(error) ? 'unavailable' : 'refused'
}

const ways: Readonly<Record<FailureReason, string>> = {
  'too-large':
    'make the object smaller, or raise the limit of etcd (--max-request-bytes), then run the migration again',
  invalid: 'mend the object so that it is valid by the present schema, or delete it, then run the migration again',
  webhook: 'mend the webhook, or the object that it refuses, then run the migration again',
  unavailable: 'see that the API server and its webhooks answer, then run the migration again',
  refused: 'remove the reason that the server gives, or delete the object, then run the migration again',
}

/** The remedy for a failure, in words. */
export function wayOut({ reason }: ObjectFailure): string {
  return ways[reason]
}
