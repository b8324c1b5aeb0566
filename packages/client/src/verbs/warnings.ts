import type { Environment } from '../environment.ts'
import { type Redact, withoutCredentials } from '../errors/redact.ts'
import type { RequestInfo } from '../errors/request-info.ts'
import type { ResponseHeaders } from '../transport.ts'

/** The maximum number of remembered texts; an older one may be reported again. */
const maxRemembered = 1000

/**
 * Passes the server's warnings (`Warning: 299`) to `onWarning`, each text once for each resource,
 * however many answers carry it (rule X12). For secrets it reports only that there is a warning, because a webhook's text may quote them.
 */
export class Warnings {
  readonly #environment: Pick<Environment, 'onWarning'>
  readonly #redact: Redact
  readonly #reported = new Set<string>()

  constructor(environment: Pick<Environment, 'onWarning'>, redact: Redact = withoutCredentials) {
    this.#environment = environment
    this.#redact = redact
  }

  /** Reports the new warnings in an answer's headers. */
  receive(headers: ResponseHeaders, about: RequestInfo): void {
    const header = headers.warning
    if (header === undefined) return
    for (const line of typeof header === 'string' ? [header] : header) {
      for (const text of parseWarnings(line))
        this.#report(about.sensitive === true ? unshown : this.#redact(text), about)
    }
  }

  #report(text: string, { resource, method, path }: RequestInfo): void {
    const id = `${resource ?? ''} ${text}`
    if (this.#reported.has(id)) return
    this.#reported.add(id)
    if (this.#reported.size > maxRemembered) {
      for (const oldest of this.#reported) {
        this.#reported.delete(oldest)
        break
      }
    }
    this.#environment.onWarning(text, { resource, method, path })
  }
}

const unshown = 'the server warned (its words are not shown: the resource is sensitive)'

/** `299 agent "text" ["date"]`, comma separated (RFC 7234, 5.5). Other codes are caches' and not for us. */
const warning = /\s*(\d{3}) +(?:[^\s"]+) +"((?:[^"\\]|\\.)*)"(?: +"[^"]*")?\s*(?:,|$)/gy

/** The texts of all warnings of code 299 in a header, up to the first part that can't be parsed. */
export function parseWarnings(header: string): string[] {
  const texts: string[] = []
  for (const [, code, quoted] of header.matchAll(warning)) {
    if (code === '299') texts.push(decoded((quoted as string).replace(/\\(.)/g, '$1')))
  }
  return texts
}

/** A text of a header, which has a character for each byte, as UTF-8. Other texts stay as they are. */
function decoded(text: string): string {
  if (!/^[\0-\xff]*$/.test(text)) return text
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'latin1'))
  } catch {
    return text
  }
}
