import {
  type Client,
  type FullObject,
  isApiError,
  isForbidden,
  isInvalid,
  type KubernetesObject,
  type View,
} from '@wherry/client'

/**
 * Whether a copy was refused only because a field of the existing object can't be changed: the server would accept the copy under another name.
 * Asks the server by a dry run that creates such an object.
 */
export async function isImmutable<T extends KubernetesObject>(
  client: Client,
  copies: View<T, 'namespaced'>,
  desired: FullObject<T>,
  refusal: unknown,
): Promise<boolean> {
  if (!isInvalid(refusal)) return false
  const { name = '', ...metadata } = desired.metadata ?? {}
  const another = { ...desired, metadata: { ...metadata, generateName: `${name.slice(0, 40)}-` } }
  try {
    await client.create(copies, another as never, { dryRun: true })
    return true
  } catch (error) {
    if (isApiError(error) && (isInvalid(error) || isForbidden(error))) return false
    throw error
  }
}
