import type { ResourceDefinition } from './resource.ts'

/**
 * Whether objects of a resource are secrets: Secrets (of any group), and reviews and requests of tokens. Wherry reports no free
 * text about them, neither of a server nor of an error of a program's function, because it may quote them.
 */
export function isSensitive({ kind, plural }: Pick<ResourceDefinition, 'kind' | 'plural'>): boolean {
  return kinds.has(kind) || plurals.has(plural)
}

const kinds: ReadonlySet<string> = new Set(['Secret', 'TokenReview', 'TokenRequest'])
const plurals: ReadonlySet<string> = new Set(['secrets', 'tokenreviews', 'tokenrequests'])

/**
 * The report of what a function threw over an object of a sensitive resource: only the class of the error. Its message
 * may quote the object, as that of `JSON.parse` does, and so may its stack and its properties.
 */
export function withoutText(thrown: unknown): Error {
  const name = thrown instanceof Error ? thrown.constructor.name : ''
  const what = /^[A-Z]\w{0,63}$/.test(name) ? `${/^[AEIOU]/.test(name) ? 'an' : 'a'} ${name}` : 'something'
  return new Error(`${what} was thrown (what it says is not shown: the resource is sensitive)`)
}

/** The error that a function threw over an object of `resource`; without its text if the resource is sensitive. */
export function redactError(resource: Pick<ResourceDefinition, 'kind' | 'plural'>, thrown: unknown): unknown {
  return isSensitive(resource) ? withoutText(thrown) : thrown
}
