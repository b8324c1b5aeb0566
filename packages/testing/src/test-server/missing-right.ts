/**
 * The server's words for a right that a user does not have: to a resource or a path, to name an owner, and to grant rights to others; and the words of
 * `@wherry/client` for Secrets.
 */
const refusals = [
  / cannot \w+ (?:resource|path) "/,
  /is forbidden: the user cannot \w+ it/,
  /cannot set blockOwnerDeletion/,
  /is attempting to grant RBAC permissions not currently held/,
]

/** So many causes are looked at. */
const deepest = 10

/** What a user of `rights` does if one is missing, if the error of an operator is that, or comes from that. */
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
