/** A place in a document, with the parts that a scanner reports. The scanner skips the rest, which takes no memory. */
export interface Place {
  /** The places below: by key in an object of JSON, by field number in a message of protobuf. */
  readonly keys?: ReadonlyMap<string | number, Place> | undefined
  /** The same places by the bytes of their keys, for JSON. */
  readonly jsonKeys?: readonly { readonly bytes: Uint8Array; readonly place: Place }[] | undefined
  /** The place of each element of an array. In protobuf a repeated field has the place of its elements. */
  readonly elements?: Place | undefined
  /** The name under which the value is reported, if the value is a text, a number, true, false or null. */
  readonly value?: string | undefined
  /** The name under which the end of the object is reported, with its bytes. */
  readonly end?: string | undefined
  /** Protobuf: the value is a number, and a text at its place is passed over. */
  readonly isNumber?: true | undefined
  /** Protobuf: the number of bytes before the message. */
  readonly prefix?: number | undefined
}

/** Receives the values that a scanner finds, in the order of the document. */
export interface Finds {
  value(name: string, text: string): void
  end(name: string, bytes: number): void
}

/** Finds places in a body that comes in chunks. It keeps nothing of a chunk, except for a key or value that continues in the next chunk. */
export interface Scanner {
  /** Reads the next chunk. Never throws: bytes that are no document are skipped. */
  write(chunk: Buffer): void
}

/** A place with other places below it. */
export function within(
  keys: Readonly<Record<string | number, Place>>,
  more: Omit<Place, 'keys' | 'jsonKeys'> = {},
): Place {
  const entries = Object.entries(keys)
  const isNumbered = entries.every(([key]) => /^\d+$/.test(key))
  const keyed = entries.map(([key, place]) => [isNumbered ? Number(key) : key, place] as const)
  return {
    ...more,
    keys: new Map(keyed),
    jsonKeys: entries.map(([key, place]) => ({ bytes: Buffer.from(key), place })),
  }
}

/** A place with a value that is reported. */
export const valueAt = (name: string): Place => ({ value: name })
