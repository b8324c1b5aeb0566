import { type JsonObject, objectAt, stringAt } from '@wherry/cel/internal'
import { invalid, required } from '../metadata/validate.ts'
import type { StatusCause } from '../status.ts'

const urlForm = '; desired format: https://host[/path]'

/**
 * The causes for which a real API server refuses the `clientConfig` of an admission or conversion webhook. The port and the path of a service are not
 * checked.
 */
export function addressProblems(config: JsonObject, at: string): StatusCause[] {
  const url = stringAt(config, 'url')
  const service = objectAt(config, 'service')
  if ((url === undefined) === (service === undefined)) {
    return [required(at, 'exactly one of url or service is required')]
  }
  if (service !== undefined) {
    const parts = ['name', 'namespace'].filter(part => (stringAt(service, part) ?? '') === '')
    return parts.map(part => required(`${at}.service.${part}`, ''))
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
