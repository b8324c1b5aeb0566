import { gzipSync } from 'node:zlib'
import { isRawNumber, type Json, type JsonObject, parseJson } from '@wherry/cel/internal'
import { stringify } from 'yaml'
import type { ServerReply } from './exchange.ts'
import { gzipMember } from './gzip-member.ts'
import { fromLatin1, goJson } from './objects/stored.ts'
import { protobufCodec } from './protobuf/loaded.ts'
import type { Representation } from './requests/representation.ts'
import type { Counter } from './stats.ts'
import type { StatusError } from './status.ts'
import { warningHeaders } from './warning-headers.ts'

/** The form in which a body is written. */
type Form = Pick<Representation, 'pretty' | 'gzip' | 'yaml' | 'protobuf'>

const protobufType = 'application/vnd.kubernetes.protobuf'

/** The size from which a plain body is compressed, as on the real server. */
const gzipFrom = 128 * 1024

/** One answer under way: encodes, compresses, counts, and adds the headers that every answer has. */
export class Responder {
  readonly #reply: ServerReply
  readonly #counter: Counter
  readonly #warnings = new Set<string>()
  /** Headers that this answer has in addition to its own. */
  readonly headers: Record<string, string | readonly string[]> = { 'cache-control': 'no-cache, private' }
  /** The content type of a whole answer that is encoded as the client asked. */
  contentType = 'application/json'
  pretty = false
  gzip = false
  yaml = false
  protobuf = false
  /** The form of a refusal. */
  refusal: Form = { pretty: false, gzip: false }
  #gzipping = false
  /** Whether the head was sent. */
  #hasBegun = false
  #over = false
  #onClose: (() => void) | undefined

  constructor(reply: ServerReply, counter: Counter) {
    this.#reply = reply
    this.#counter = counter
    counter.openStreams++
    reply.onClose(() => {
      this.#over = true
      counter.openStreams--
      this.#onClose?.()
    })
  }

  /** Whether the exchange is over, whichever side ended it. */
  get over(): boolean {
    return this.#over
  }

  /** Sets the form of the answer. */
  present({ pretty, gzip, yaml = false, protobuf = false }: Form): void {
    this.pretty = pretty
    this.gzip = gzip
    this.yaml = yaml
    this.protobuf = protobuf
    this.contentType = protobuf ? protobufType : yaml ? 'application/yaml' : 'application/json'
  }

  /** Called once when the exchange is over. */
  onClose(fn: () => void): void {
    this.#onClose = fn
  }

  onDrain(fn: () => void): void {
    this.#reply.onDrain(fn)
  }

  /** Adds a `Warning` header; each text once. */
  warn(text: string): void {
    this.#warnings.add(text)
  }

  /** Sends a whole answer of one JSON value. */
  json(status: number, value: Json): void {
    this.latin1(status, `${goJson(value)}\n`, 0)
  }

  /** Sends a whole answer, with a text that has a character for each byte. `objectBytes` of its bytes are objects. */
  latin1(status: number, text: string, objectBytes: number): void {
    if (this.protobuf) {
      return this.encoded(status, protobufCodec().encodeObject(parseJson(fromLatin1(text)) as JsonObject), objectBytes)
    }
    let body = Buffer.from(text, 'latin1')
    if (this.yaml) body = Buffer.from(yamlOf(parseJson(body.toString('utf8'))), 'utf8')
    else if (this.pretty) body = Buffer.from(goJson(parseJson(body.toString('utf8')), 2), 'latin1')
    this.encoded(status, body, objectBytes)
  }

  /** Sends a whole answer, encoded in its content type. `objectBytes` of the bytes are objects. */
  encoded(status: number, bytes: Buffer, objectBytes: number): void {
    const compress = this.gzip && bytes.length > gzipFrom
    const body = compress ? gzipSync(bytes, { level: 1 }) : bytes
    this.#head(status, this.contentType, compress, body.length)
    this.#count(body.length, objectBytes === 0 ? 0 : body.length)
    this.#reply.write(body)
    this.#reply.end()
  }

  text(status: number, text: string, type = 'text/plain; charset=utf-8'): void {
    this.bytes(status, Buffer.from(text, 'utf8'), type)
  }

  bytes(status: number, body: Buffer, type: string): void {
    this.#head(status, type, false, body.length)
    this.#count(body.length, 0)
    this.#reply.write(body)
    this.#reply.end()
  }

  /** Sends an answer without a body, by default a success. */
  empty(status = 204): void {
    if (status >= 400) this.headers['content-length'] = '0'
    this.#hasBegun = true
    this.#reply.head(status, this.headers)
    this.#reply.end()
  }

  /** Sends a refusal. If the answer has begun, breaks it off. */
  refuse(error: StatusError): void {
    if (this.#hasBegun) return this.rst()
    for (const [name, value] of Object.entries(error.headers)) this.headers[name] = value
    if (error.plain) return this.text(error.code, error.message)
    this.present(this.refusal)
    this.json(error.code, error.toStatus())
  }

  /** Begins an answer that is sent piece by piece. `compress`: each piece is a gzip member of its own. */
  start(compress: boolean): void {
    this.#gzipping = compress && this.gzip
    this.#head(200, this.protobuf ? `${protobufType};stream=watch` : 'application/json', this.#gzipping, undefined)
  }

  /** Begins an answer in plain text that is sent piece by piece. */
  startText(): void {
    this.#gzipping = false
    this.#head(200, 'text/plain', false, undefined)
  }

  /** Sends a piece with `objectBytes` bytes of objects. Returns false if the caller must wait for `onDrain`. */
  send(chunk: Buffer, objectBytes: number): boolean {
    if (this.#over) return true
    const body = this.#gzipping ? gzipMember(chunk) : chunk
    this.#count(body.length, chunk.length === 0 ? 0 : Math.round((objectBytes * body.length) / chunk.length))
    return this.#reply.write(body)
  }

  end(): void {
    if (!this.#over) this.#reply.end()
  }

  rst(): void {
    if (!this.#over) this.#reply.rst()
  }

  #head(status: number, type: string, compressed: boolean, length: number | undefined): void {
    this.headers['content-type'] = type
    if (compressed) {
      this.headers['content-encoding'] = 'gzip'
      this.headers.vary = 'Accept-Encoding'
    }
    if (length !== undefined) this.headers['content-length'] = String(length)
    if (this.#warnings.size > 0) this.headers.warning = warningHeaders(this.#warnings)
    this.#hasBegun = true
    this.#reply.head(status, this.headers)
  }

  #count(bytes: number, objectBytes: number): void {
    this.#counter.objectBytes += objectBytes
    this.#counter.otherBytes += bytes - objectBytes
  }
}

/** Prints YAML with keys in order, and items of lists not indented, as Go does. Go quotes some texts differently. */
function yamlOf(value: Json): string {
  const whole = (_key: unknown, one: unknown): unknown =>
    !isRawNumber(one) ? one : /^-?\d+$/.test(one.rawJSON) ? BigInt(one.rawJSON) : Number(one.rawJSON)
  return stringify(value, whole, { sortMapEntries: true, indentSeq: false, singleQuote: true })
}
