import { type JsonObject, objectAt, own, stringAt, subdomainProblems } from '@wherry/cel/internal'
import { invalid, required } from '../metadata/validate.ts'
import type { StatusCause } from '../status.ts'

const urlForm = '; desired format: https://host[/path]'

/** The causes for which a real API server refuses the `clientConfig` of an admission or conversion webhook. */
export function addressProblems(config: JsonObject, at: string): StatusCause[] {
  const url = stringAt(config, 'url')
  const service = objectAt(config, 'service')
  if ((url === undefined) === (service === undefined)) {
    return [required(at, 'exactly one of url or service is required')]
  }
  if (service !== undefined) {
    const parts = ['name', 'namespace'].filter(part => (stringAt(service, part) ?? '') === '')
    return [...parts.map(part => required(`${at}.service.${part}`, '')), ...serviceProblems(service, `${at}.service`)]
  }
  const field = `${at}.url`
  if (url === undefined || !URL.canParse(url)) return [required(field, `url must be a valid URL: ${url}${urlForm}`)]
  const { protocol, host, username, password, hash, search } = new URL(url)
  const user = password === '' ? username : `${username}:${password}`
  return [
    ...(protocol === 'https:'
      ? []
      : [invalid(field, protocol.slice(0, -1), `'https' is the only allowed URL scheme${urlForm}`)]),
    ...(host === '' ? [invalid(field, host, `host must be specified${urlForm}`)] : []),
    ...(user === '' ? [] : [invalid(field, user, 'user information is not permitted in the URL')]),
    ...(hash === '' ? [] : [invalid(field, hash.slice(1), 'fragments are not permitted in the URL')]),
    ...(search === '' ? [] : [invalid(field, search.slice(1), 'query parameters are not permitted in the URL')]),
  ]
}

/** The causes against the port and the path of a service. */
function serviceProblems(service: JsonObject, at: string): StatusCause[] {
  const [port, path] = [own(service, 'port') ?? 443, stringAt(service, 'path') ?? '']
  const causes: StatusCause[] = []
  if (typeof port !== 'number' || port < 1 || port > 65_535) {
    causes.push(invalid(`${at}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive'))
  }
  if (path === '' || path === '/') return causes
  const wrong = (why: string): number => causes.push(invalid(`${at}.path`, path, why))
  if (!path.startsWith('/')) wrong("must start with a '/'")
  for (const [i, segment] of path.slice(1).replace(/\/$/, '').split('/').entries()) {
    if (segment === '') wrong(`segment[${i}] may not be empty`)
    else for (const why of subdomainProblems(segment)) wrong(`segment[${i}]: ${why}`)
  }
  return causes
}
