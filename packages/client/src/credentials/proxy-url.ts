import { text } from '../errors/check.ts'
import { OptionRangeError } from '../errors/option.ts'

/** Checks the URL of a proxy. The error does not repeat the URL, because it may contain a password. */
export function checkProxyUrl(option: string, value: unknown): void {
  text(option, value)
  const url = URL.canParse(value as string) ? new URL(value as string) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return
  const got = url === undefined ? 'no URL' : 'a URL with another scheme'
  throw new OptionRangeError(option, 'an http: or https: URL, such as http://proxy.example.com:3128', got)
}

/** The user and the password of a proxy's URL. A text that is no valid percent-encoding, such as `100%`, is left as it is. */
export function loginOf({ username, password }: URL): readonly [user: string, password: string] {
  return [decoded(username), decoded(password)]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
