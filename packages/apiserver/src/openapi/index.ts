import { createHash } from 'node:crypto'
import { type DefinedResource, definitionDocument } from './definition-document.ts'
import { type BuiltinDocument, documents, schemasOf } from './documents.ts'

export type { DefinedResource } from './definition-document.ts'

/** A document of OpenAPI v3, and what its address has for its state. */
export interface OpenApiDocument {
  readonly text: string
  readonly hash: string
}

/** The documents that a server publishes: a fixed one for what is built in, and one for each group and version of definitions. */
export class OpenApi {
  readonly #builtin = new Map<string, string>()
  readonly #defined = new Map<string, { readonly of: string; readonly document: OpenApiDocument }>()

  /** The path of each document, such as `apis/apps/v1`, with its hash. `defined`: what definitions define now. */
  index(defined: readonly DefinedResource[]): ReadonlyMap<string, string> {
    const hashes = Object.entries(documents().documents).map(([path, { hash }]): [string, string] => [path, hash])
    const byPath = Map.groupBy(defined, pathOf)
    for (const path of this.#defined.keys()) if (!byPath.has(path)) this.#defined.delete(path)
    for (const [path, resources] of byPath) hashes.push([path, this.#documentOf(path, resources).hash])
    return new Map(hashes.sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** The document at a path; `undefined`: there is none. */
  document(path: string, defined: readonly DefinedResource[]): OpenApiDocument | undefined {
    const builtin = Object.hasOwn(documents().documents, path) ? documents().documents[path] : undefined
    if (builtin === undefined) {
      const resources = defined.filter(one => pathOf(one) === path)
      return resources.length === 0 ? undefined : this.#documentOf(path, resources)
    }
    const text = this.#builtin.get(path) ?? textOf(builtin)
    this.#builtin.set(path, text)
    return { text, hash: builtin.hash }
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

function textOf(document: BuiltinDocument): string {
  const { rest, others, names } = document
  const schemas = names === undefined ? {} : { schemas: schemasOf(document) }
  return JSON.stringify({ ...rest, components: { ...schemas, ...others } })
}
