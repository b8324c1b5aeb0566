import type { KnownSecrets } from '../errors/known-secrets.ts'
import type { Credentials } from './credentials.ts'

/** The same credentials; what they give is noted, so that it can be hidden in what a server says. */
export function noted(credentials: Credentials, known: KnownSecrets): Credentials {
  let last: object | undefined
  const seen = <T>(given: T | Promise<T>, see: (value: T) => void): T | Promise<T> => {
    const take = (value: T): T => {
      see(value)
      return value
    }
    return given instanceof Promise ? given.then(take) : take(given)
  }
  return {
    headers: () =>
      seen(credentials.headers(), headers => {
        // For each request the same object, most of the time.
        if (headers === last) return
        last = headers
        known.noteHeaders(headers)
      }),
    tls: () => seen(credentials.tls(), ({ key }) => known.noteKey(key)),
    digest: () => credentials.digest(),
    refresh: () => credentials.refresh(),
    close: () => credentials.close?.(),
  }
}

/** The proxies that the environment sets, for whatever target: their URLs may hold a login. */
export function proxiesOfEnvironment(): readonly (string | undefined)[] {
  return ['https_proxy', 'http_proxy', 'all_proxy'].flatMap(name => [
    process.env[name],
    process.env[name.toUpperCase()],
  ])
}
