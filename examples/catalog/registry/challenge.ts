/** What a registry asks for: https://distribution.github.io/distribution/spec/auth/token/ */
export type Challenge =
  | { readonly scheme: 'basic' }
  | { readonly scheme: 'bearer'; readonly realm: string; readonly parameters: Readonly<Record<string, string>> }

/** Reads a `WWW-Authenticate` header. `undefined` for a scheme that is not known. */
export function challengeOf(header: string): Challenge | undefined {
  const [, scheme = '', rest = ''] = /^\s*(\S+)\s*(.*)$/.exec(header) ?? []
  if (scheme.toLowerCase() === 'basic') return { scheme: 'basic' }
  const all = [...rest.matchAll(/(\w+)=(?:"([^"]*)"|([^\s,]+))/g)].map(([, key, quoted, bare]) => [key, quoted ?? bare])
  const { realm, ...parameters } = Object.fromEntries(all) as Record<string, string>
  if (scheme.toLowerCase() !== 'bearer' || realm === undefined) return undefined
  return { scheme: 'bearer', realm, parameters }
}
