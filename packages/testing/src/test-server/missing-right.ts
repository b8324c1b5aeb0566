/**
 * Patterns of the server's messages about a missing right: to a resource or a path, to name an owner, and to grant rights to others; and the message of
 * `@wherry/client` for Secrets.
 */
const refusals = [
  / cannot \w+ (?:resource|path) "/,
  /is forbidden: the user cannot \w+ it/,
  /cannot set blockOwnerDeletion/,
  /is attempting to grant RBAC permissions not currently held/,
]

/** The maximum number of causes that are checked. */
const deepest = 10

/** An error with the remedy, if the error of an operator or a cause of it is a missing right. */
export function missingRight(error: unknown): Error | undefined {
  let cause = error
  for (let depth = 0; depth < deepest && cause instanceof Error; depth++) {
    const { message, status } = cause as Error & { readonly status?: unknown }
    // An admission webhook and a quota answer 403 too.
    if (status === 403 && refusals.some(words => words.test(message))) return new Error(`${message}\n${cure}`)
    cause = cause.cause
  }
  return undefined
}

const cure =
  'The `rights` of setUpApiServer do not allow this. If they are those of your manifests, record what the operator needs, and write them: RECORD=1 npm test && npm run manifests (in a project of wherry create), or else a run with all rights, and wherry manifests'
