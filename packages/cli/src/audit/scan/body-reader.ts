import { createGunzip, constants as zlib } from 'node:zlib'
import { JsonScanner } from './json-scanner.ts'
import type { Scanner } from './place.ts'
import { ProtobufScanner } from './protobuf-scanner.ts'
import { type BodyForm, jsonShapes, protobufShapes } from './shapes.ts'

/** An object in a body: its key and size, and nothing of its data. */
export interface Found {
  readonly name: string
  readonly namespace: string
  /** The resourceVersion. Empty if the object has none, such as a Status. */
  readonly resourceVersion: string
  /** The kind of a single object or of the object of an event. Empty if the server leaves it out. */
  readonly kind: string
  /** The type of an event: `ADDED`, `MODIFIED`, `DELETED`, `BOOKMARK` or `ERROR`. */
  readonly type: string
  /** The code of a Status. */
  readonly code: string
  /** The size of the object in the body, or of the event. */
  readonly bytes: number
}

/** Receives the objects and the sizes that a body reader finds. */
export interface BodyFinds {
  found(object: Found): void
  /** Bytes of the body, unpacked. */
  bytes(size: number): void
}

/** A body that is read while it passes. */
export interface BodyReader {
  /** Reads the next chunk. Returns false if the caller has to wait for `onDrain` before the next. */
  write(chunk: Buffer): boolean
  /** Calls `then` once, when there is room for the next chunk. */
  onDrain(then: () => void): void
  /** Resolves when all that was written is read. */
  end(): Promise<void>
}

/** The properties of a body, from its headers. */
export interface BodyKind {
  readonly form: BodyForm | undefined
  readonly contentType: string | undefined
  readonly encoding: string | undefined
}

/** Returns a reader of a body. It counts only the bytes if the form is undefined, or the content type or the compression is unknown. */
export function bodyReader(kind: BodyKind, finds: BodyFinds): BodyReader {
  const scanner = scannerOf(kind, finds)
  const take = (chunk: Buffer): void => {
    finds.bytes(chunk.length)
    scanner?.write(chunk)
  }
  if (kind.encoding === 'gzip') return new GzippedReader(take)
  return {
    write(chunk) {
      take(chunk)
      return true
    },
    onDrain: then => then(),
    end: () => Promise.resolve(),
  }
}

type Values = { -readonly [name in keyof Omit<Found, 'bytes'>]: Found[name] }

const nothing = (): { -readonly [name in keyof Found]: Found[name] } => {
  return { name: '', namespace: '', resourceVersion: '', kind: '', type: '', code: '', bytes: 0 }
}

function scannerOf({ form, contentType = '', encoding = 'identity' }: BodyKind, finds: BodyFinds): Scanner | undefined {
  if (form === undefined || (encoding !== 'identity' && encoding !== 'gzip')) return undefined
  let current = nothing()
  const sink = {
    value(name: string, text: string) {
      current[name as keyof Values] = text
    },
    end(_: string, bytes: number) {
      const found = current
      found.bytes = bytes
      current = nothing()
      finds.found(found)
    },
  }
  if (/^application\/vnd\.kubernetes\.protobuf\b/.test(contentType))
    return new ProtobufScanner(protobufShapes[form], sink, form === 'watch')
  return /^application\/([\w.-]+\+)?json\b/.test(contentType) ? new JsonScanner(jsonShapes[form], sink) : undefined
}

class GzippedReader implements BodyReader {
  readonly #gunzip = createGunzip({ flush: zlib.Z_SYNC_FLUSH, finishFlush: zlib.Z_SYNC_FLUSH })
  readonly #ended = Promise.withResolvers<void>()
  #hasFailed = false

  constructor(take: (chunk: Buffer) => void) {
    this.#gunzip.on('data', take)
    this.#gunzip.on('end', () => this.#ended.resolve())
    // A body that is not gzip is passed on unchanged and not read.
    this.#gunzip.on('error', () => {
      this.#hasFailed = true
      this.#gunzip.emit('drain')
      this.#ended.resolve()
    })
  }

  write(chunk: Buffer): boolean {
    return this.#hasFailed || this.#gunzip.write(chunk)
  }

  onDrain(then: () => void): void {
    if (this.#hasFailed || !this.#gunzip.writableNeedDrain) then()
    else this.#gunzip.once('drain', then)
  }

  end(): Promise<void> {
    if (!this.#hasFailed) this.#gunzip.end()
    return this.#ended.promise
  }
}
