import type { Clock } from '../clock.ts'
import { isHeaderText } from '../errors/headers.ts'
import { type Credentials, digestOf, type TlsMaterial } from './credentials.ts'
import { CredentialsError } from './error.ts'
import { SingleFlight } from './flight.ts'
import { readSource, type Source } from './source.ts'

/** The parts of {@link GivenCredentials}. All are optional. */
export interface GivenParts {
  readonly token?: Source | undefined
  /** The login that is sent if there is no token. */
  readonly login?: { readonly username: string; readonly password: string } | undefined
  readonly ca?: Source | undefined
  readonly cert?: Source | undefined
  readonly key?: Source | undefined
}

/** The interval after which a file is read again, in milliseconds. Kubelets renew tokens long before they expire. */
const rereadMs = 60_000

interface Known {
  readonly headers: Readonly<Record<string, string>>
  readonly tls: TlsMaterial
  readonly digest: string
}

/**
 * Token, login and client certificate, as values or in files. A file is read again after 60 s, when a connection is opened,
 * and at once after a 401. If a file can't be read any more, its last content is used.
 */
export class GivenCredentials implements Credentials {
  readonly #parts: GivenParts
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #reading = new SingleFlight<Known>()
  readonly #inFiles: boolean
  #known: Known | undefined
  /** The `authorization` header that the last request got. */
  #sent: string | undefined
  #readAt = 0

  constructor(parts: GivenParts, clock: Pick<Clock, 'monotonic'>) {
    this.#parts = parts
    this.#clock = clock
    this.#inFiles = [parts.token, parts.ca, parts.cert, parts.key].some(part => part !== undefined && 'file' in part)
    if (!this.#inFiles) this.#known = known(parts, source => (source as { data: string } | undefined)?.data)
  }

  headers(): Known['headers'] | Promise<Known['headers']> {
    const fresh = this.#fresh()
    if (fresh !== undefined) return this.#given(fresh)
    return this.#read().then(known => this.#given(known))
  }

  tls(): TlsMaterial | Promise<TlsMaterial> {
    if (this.#known !== undefined && !this.#inFiles) return this.#known.tls
    return this.#read().then(({ tls }) => tls)
  }

  digest(): string {
    return this.#known?.digest ?? ''
  }

  async refresh(): Promise<boolean> {
    if (!this.#inFiles) return false
    const [digest, sent] = [this.digest(), this.#sent]
    const after = await this.#read(true)
    // A connection that was opened meanwhile may have read the files, so the credentials are compared with those of the refused request.
    return sent !== after.headers.authorization || digest !== after.digest
  }

  #given({ headers }: Known): Known['headers'] {
    this.#sent = headers.authorization
    return headers
  }

  #fresh(): Known | undefined {
    return this.#inFiles && this.#clock.monotonic() - this.#readAt >= rereadMs ? undefined : this.#known
  }

  async #read(strict = false): Promise<Known> {
    try {
      return await this.#reading.do(async () => {
        const { token, ca, cert, key } = this.#parts
        const texts = new Map<Source, string>()
        for (const source of [token, ca, cert, key]) {
          if (source !== undefined) texts.set(source, await readSource(source))
        }
        this.#readAt = this.#clock.monotonic()
        this.#known = known(this.#parts, source => source && texts.get(source))
        return this.#known
      })
    } catch (error) {
      if (this.#known === undefined || strict) throw error
      this.#readAt = this.#clock.monotonic()
      return this.#known
    }
  }
}

function known(parts: GivenParts, text: (source: Source | undefined) => string | undefined): Known {
  const token = text(parts.token)?.trim()
  if (token !== undefined && !isHeaderText(token)) {
    const where = parts.token !== undefined && 'file' in parts.token ? parts.token.file : 'the token'
    throw new CredentialsError(
      'CREDENTIALS_UNREADABLE',
      `${where} has characters that no header takes: it is not a token`,
    )
  }
  const { login } = parts
  const tls: TlsMaterial = { ca: text(parts.ca), cert: text(parts.cert), key: text(parts.key) }
  const headers: Record<string, string> = {}
  if (token !== undefined) headers.authorization = `Bearer ${token}`
  else if (login !== undefined) {
    headers.authorization = `Basic ${Buffer.from(`${login.username}:${login.password}`).toString('base64')}`
  }
  return { headers, tls, digest: digestOf(tls) }
}
