import type { JsonSchema } from '@wherry/crd'
import {
  BaseError,
  type ChainNodeParser,
  createFormatter,
  createParser,
  DEFAULT_CONFIG,
  SchemaGenerator,
} from 'ts-json-schema-generator'
import type ts from 'typescript'
import type { Tag } from './doc-comment.ts'
import { addTo, schemaOfTags } from './field-tags.ts'
import { LimitedIntersectionFormatter } from './intersection.ts'
import { TaggedIndexedAccessParser, TaggedMappedTypeParser } from './mapped.ts'
import { type Unmarked, unmarked } from './marks.ts'
import { NotJsonParser } from './not-json.ts'
import { placeOfNode, type Refuse } from './place.ts'
import { References } from './references.ts'
import { TaggedNodeParser } from './tagged.ts'
import { TaggedTypeFormatter } from './tagged-type.ts'

/** Reads the JSON Schemas of interfaces. */
export class SchemaReader {
  /** The types that the schemas refer to. */
  readonly references: References
  readonly #generator: SchemaGenerator
  readonly #cwd: string
  readonly #refuse: Refuse

  constructor(program: ts.Program, roots: readonly ts.Node[], cwd: string, refuse: Refuse) {
    const config = { ...DEFAULT_CONFIG, expose: 'none', jsDoc: 'none', topRef: false, functions: 'fail' } as const
    this.references = new References(program.getTypeChecker(), node =>
      refuse(placeOfNode(node, cwd), `has the type ${node.getText()}, which is not found.`),
    )
    const parser = createParser(program, { ...config, extraTags: [] }, chain => {
      chain.addNodeParser(this.references)
      const all = chain as ChainNodeParser
      chain.addNodeParser(new NotJsonParser(all, program, cwd, refuse))
      chain.addNodeParser(new TaggedNodeParser(all, program, new Set(roots), cwd, refuse))
      chain.addNodeParser(new TaggedMappedTypeParser(all, (node, message) => refuse(placeOfNode(node, cwd), message)))
      chain.addNodeParser(new TaggedIndexedAccessParser(program.getTypeChecker(), all))
    })
    const formatter = createFormatter({ ...config, extraTags: [] }, (chain, inner) => {
      chain.addTypeFormatter(new TaggedTypeFormatter(inner))
      chain.addTypeFormatter(new LimitedIntersectionFormatter(inner))
    })
    this.#generator = new SchemaGenerator(program, parser, formatter)
    this.#cwd = cwd
    this.#refuse = refuse
  }

  /** The schema of an object, with the description and tags of its interface. Undefined after a problem. */
  read(root: ts.InterfaceDeclaration, description: string, tags: readonly Tag[]): Unmarked | undefined {
    const place = placeOfNode(root, this.#cwd)
    try {
      const { schema, ...gathered } = unmarked(this.#generator.createSchemaFromNodes([root]) as JsonSchema)
      const whole: Record<string, unknown> = { ...(description !== '' && { description }), ...asObject(schema) }
      addTo(
        whole,
        schemaOfTags(tags, message => this.#refuse(place, message)),
      )
      return { schema: whole, ...gathered }
    } catch (error) {
      if (!(error instanceof BaseError)) throw error
      const { file, start = 0 } = error.diagnostic
      const at =
        file &&
        `${placeOfNode(file, this.#cwd).replace(/\d+$/, '')}${file.getLineAndCharacterOfPosition(start).line + 1}`
      this.#refuse(at ?? place, `${error.message}. A definition can't express this type.`)
      return undefined
    }
  }
}

/** Adds the fields that every object has, in the form that the server accepts. */
function asObject(schema: JsonSchema): JsonSchema {
  const own = schema.properties as Readonly<Record<string, JsonSchema>> | undefined
  const described = (name: string, type: string): JsonSchema => {
    const description = own?.[name]?.description
    return { ...(description !== undefined && { description }), type }
  }
  const { required, ...rest } = schema
  const names = ((required ?? []) as string[]).filter(name => !['apiVersion', 'kind', 'metadata'].includes(name))
  const common = {
    apiVersion: described('apiVersion', 'string'),
    kind: described('kind', 'string'),
    metadata: { ...described('metadata', 'object'), ...namesOf(own?.metadata?.properties) },
  }
  return { ...rest, properties: { ...common, ...own, ...common }, ...(names.length > 0 && { required: names }) }
}

/** The limits of an object's name, which are the only limits that the server accepts for metadata. */
function namesOf(metadata: unknown): JsonSchema {
  const limited = Object.entries((metadata ?? {}) as Readonly<Record<string, JsonSchema>>).filter(
    ([name, field]) => ['name', 'generateName'].includes(name) && Object.keys(field).some(one => one !== 'type'),
  )
  return limited.length === 0 ? {} : { properties: Object.fromEntries(limited) }
}
