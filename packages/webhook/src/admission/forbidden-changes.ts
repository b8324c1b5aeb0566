import type { JsonPatchOperation } from '@wherry/client'
import { InvalidAnswerError } from '../errors.ts'

/** Metadata that only the server sets, or that identifies the object. */
const serverMetadata = [
  ...['name', 'generateName', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp'],
  ...['deletionTimestamp', 'deletionGracePeriodSeconds', 'managedFields', 'selfLink'],
].map(field => `/metadata/${field}`)

/** By subresource: the field that its webhooks may change. The server drops most other changes, silently. */
const onlyIn: Readonly<Record<string, string>> = { status: '/status', scale: '/spec' }

/** Checks that the server will neither refuse nor drop a change of this patch. @throws InvalidAnswerError with the path */
export function checkChanges(patch: readonly JsonPatchOperation[], subResource: string | undefined): void {
  const only = subResource === undefined ? undefined : onlyIn[subResource]
  for (const { path } of patch) {
    const why =
      only === undefined
        ? objection(path)
        : isWithin(path, only)
          ? undefined
          : `a webhook of ${subResource} may change ${only} only`
    if (why !== undefined)
      throw new InvalidAnswerError(
        'FORBIDDEN_CHANGE',
        path,
        `the handler changed ${path || 'the whole object'}: ${why}`,
      )
  }
}

function objection(path: string): string | undefined {
  if (isWithin(path, '/status')) return 'only a webhook declared by forStatus may change the status'
  const isIdentity = ['', '/apiVersion', '/kind', '/metadata'].includes(path)
  if (isIdentity || serverMetadata.some(one => isWithin(path, one))) return 'no webhook may change that field'
  return undefined
}

function isWithin(path: string, parent: string): boolean {
  return path === parent || path.startsWith(`${parent}/`)
}
