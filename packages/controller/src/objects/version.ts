/** The resourceVersion that an object carries, if it does. */
export function versionOf(object: unknown): string | undefined {
  const { metadata } = (object ?? {}) as { readonly metadata?: { readonly resourceVersion?: unknown } }
  const version = metadata?.resourceVersion
  return typeof version === 'string' ? version : undefined
}
