/** The resourceVersion of an object; `undefined` if it has none. */
export function versionOf(object: unknown): string | undefined {
  const { metadata } = (object ?? {}) as { readonly metadata?: { readonly resourceVersion?: unknown } }
  const version = metadata?.resourceVersion
  return typeof version === 'string' ? version : undefined
}
