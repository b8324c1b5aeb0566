import { createHash } from 'node:crypto'
import { type DefinedResource, definitionDocument } from './definition-document.ts'
import { type BuiltinDocument, documents, type Fields, schemasOf } from './documents.ts'
import { swaggerOf } from './swagger.ts'
import { swaggerBytes } from './swagger-protobuf.ts'

export type { DefinedResource } from './definition-document.ts'

/** A document of OpenAPI v3, and the hash of its content. */
export interface OpenApiDocument {
  readonly text: string
  readonly hash: string
}

/** The document of OpenAPI v2 with all kinds, and the hash of its content. */
export interface SwaggerDocument {
  readonly text: string
  /** The document in protobuf. */
  bytes(): Buffer
  readonly hash: string
}

/** The documents that a server publishes: a fixed document for each built-in group and version, and a document for each group and version of definitions. */
export class OpenApi {
  readonly #builtin = new Map<string, string>()
  readonly #defined = new Map<string, { readonly of: string; readonly document: OpenApiDocument }>()

  #swagger: { readonly of: string; readonly document: SwaggerDocument } | undefined

  /** The path of each document, such as `apis/apps/v1`, with its hash. `defined`: the resources that definitions define now. */
  index(defined: readonly DefinedResource[]): ReadonlyMap<string, string> {
    const hashes = Object.entries(documents().documents).map(([path, { hash }]): [string, string] => [path, hash])
    const byPath = Map.groupBy(defined, pathOf)
    for (const path of this.#defined.keys()) if (!byPath.has(path)) this.#defined.delete(path)
    for (const [path, resources] of byPath) hashes.push([path, this.#documentOf(path, resources).hash])
    return new Map(hashes.sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** The document at a path; `undefined` if there is none. */
  document(path: string, defined: readonly DefinedResource[]): OpenApiDocument | undefined {
    const builtin = Object.hasOwn(documents().documents, path) ? documents().documents[path] : undefined
    if (builtin === undefined) {
      const resources = defined.filter(one => pathOf(one) === path)
      return resources.length === 0 ? undefined : this.#documentOf(path, resources)
    }
    const text = this.#builtin.get(path) ?? JSON.stringify(wholeOf(builtin))
    this.#builtin.set(path, text)
    return { text, hash: builtin.hash }
  }

  /** All documents as a single document of OpenAPI v2. It is made at the first request, and again when definitions change. */
  swagger(defined: readonly DefinedResource[]): SwaggerDocument {
    const of = JSON.stringify(defined)
    if (this.#swagger?.of === of) return this.#swagger.document
    const builtin = Object.values(documents().documents).map(wholeOf)
    const byPath = [...Map.groupBy(defined, pathOf).values()].map(definitionDocument)
    const whole = swaggerOf([...builtin, ...byPath])
    const text = JSON.stringify(whole)
    let bytes: Buffer | undefined
    const document: SwaggerDocument = {
      text,
      bytes: () => {
        bytes ??= swaggerBytes(whole)
        return bytes
      },
      hash: createHash('sha512').update(text).digest('hex').toUpperCase(),
    }
    this.#swagger = { of, document }
    return document
  }

  #documentOf(path: string, resources: readonly DefinedResource[]): OpenApiDocument {
    const of = JSON.stringify(resources)
    let known = this.#defined.get(path)
    if (known?.of !== of) {
      const text = JSON.stringify(definitionDocument(resources))
      const hash = createHash('sha512').update(text).digest('hex').toUpperCase()
      known = { of, document: { text, hash } }
      this.#defined.set(path, known)
    }
    return known.document
  }
}

function pathOf({ group, version }: DefinedResource): string {
  return `apis/${group}/${version}`
}

function wholeOf(document: BuiltinDocument): Fields {
  const { rest, others, names } = document
  const schemas = names === undefined ? {} : { schemas: schemasOf(document) }
  return { ...rest, components: { ...schemas, ...others } }
}
