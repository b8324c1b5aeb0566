import { brotliDecompressSync } from 'node:zlib'
import { compressedDocuments } from '../generated/openapi.ts'

/** A JSON object. */
export interface Fields {
  readonly [name: string]: unknown
}

/** The documents that a real server publishes, as the generator stores them: a schema of several documents is stored once. */
export interface Documents {
  readonly schemas: Fields
  readonly documents: Readonly<Record<string, BuiltinDocument>>
  readonly definitions: DefinitionParts
}

/** The schemas of a document: the names of shared schemas, and the schemas that differ from the shared ones. */
export interface SchemaNames {
  readonly names?: readonly string[]
  readonly own?: Fields
}

/** The document of a built-in group and version. */
export interface BuiltinDocument extends SchemaNames {
  readonly hash: string
  readonly rest: Fields
  /** The components other than schemas. */
  readonly others: Fields
}

/** A template for documents of definitions. The schemas of the definitions are added to it, and their names replace the template's. */
export interface DefinitionParts extends SchemaNames {
  readonly group: string
  readonly version: string
  readonly rest: Fields
  readonly scopes: Readonly<Record<'Namespaced' | 'Cluster', ScopeParts>>
}

/** The parts of a document about one resource. */
export interface ScopeParts {
  readonly kind: string
  readonly paths: Fields
  readonly object: Fields
  readonly list: Fields
}

let read: Documents | undefined

/** The documents of a real server, decompressed once. */
export function documents(): Documents {
  read ??= JSON.parse(brotliDecompressSync(Buffer.from(compressedDocuments, 'base64')).toString()) as Documents
  return read
}

/** The schemas of a document, by name. */
export function schemasOf({ names = [], own = {} }: SchemaNames): Record<string, unknown> {
  const { schemas } = documents()
  return Object.fromEntries(names.map(name => [name, own[name] ?? schemas[name]]))
}
