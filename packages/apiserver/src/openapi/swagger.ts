import { createHash } from 'node:crypto'
import type { Fields } from './documents.ts'

/** An OpenAPI v2 document. */
export interface Swagger extends Fields {
  readonly paths: Fields
  readonly definitions: Fields
}

const methods: ReadonlySet<string> = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch'])

/** Joins documents of OpenAPI v3 into a document of v2, as a real server does. */
export function swaggerOf(documents: readonly Fields[]): Swagger {
  const paths: Record<string, unknown> = {}
  const definitions: Record<string, unknown> = {}
  const shared = new Map<string, Shared>()
  let info: unknown
  let security: unknown
  for (const document of documents) {
    const components = fieldsOf(document.components)
    info ??= document.info
    security ??= components.securitySchemes
    for (const [path, item] of Object.entries(fieldsOf(document.paths))) paths[path] = itemOf(fieldsOf(item), shared)
    for (const [name, schema] of Object.entries(fieldsOf(components.schemas))) {
      definitions[name] = definitionOf(schema as Fields, fieldsOf(definitions[name]))
    }
  }
  return {
    ...{ swagger: '2.0', info, paths: inOrder(paths), definitions: inOrder(definitions) },
    parameters: inOrder(Object.fromEntries([...shared.values()].map(({ name, parameter }) => [name, parameter]))),
    ...{ securityDefinitions: security, security: [{ BearerToken: [] }] },
  }
}

/** A schema of several documents, with the kinds of all of them. Each document lists only the kinds of its own version. */
function definitionOf(schema: Fields, known: Fields): Fields {
  const kinds = 'x-kubernetes-group-version-kind'
  const made = schemaOf(schema)
  const [own, others] = [made[kinds], known[kinds]]
  if (!Array.isArray(own) || !Array.isArray(others)) return made
  const all = new Map([...others, ...own].map(kind => [JSON.stringify(inOrder(kind as Fields)), kind]))
  return { ...made, [kinds]: [...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, kind]) => kind) }
}

/** A parameter of several operations, which the document contains once. */
interface Shared {
  readonly name: string
  readonly parameter: Fields
}

/** Parameters that are never shared, because they name a kind, or old clients read them from the operation. */
const unshared: ReadonlySet<unknown> = new Set(['name', 'fieldValidation', 'dryRun'])

/** A parameter, or a reference to it in `shared`. */
function referred(parameter: Fields, shared: Map<string, Shared>): Fields {
  if (unshared.has(parameter.name)) return parameter
  const { $ref } = fieldsOf(parameter.schema)
  if (parameter.in === 'body' && !String($ref).startsWith('#/definitions/io.k8s.apimachinery')) return parameter
  const text = JSON.stringify(parameter)
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 8)
  const known = shared.get(text) ?? { name: `${String(parameter.name)}-${digest}`, parameter }
  shared.set(text, known)
  return { $ref: `#/parameters/${known.name}` }
}

function itemOf(item: Fields, shared: Map<string, Shared>): Fields {
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => {
      if (name === 'parameters') return [name, (value as Fields[]).map(one => referred(parameterOf(one), shared))]
      return [name, methods.has(name) ? operationOf(value as Fields, shared) : value]
    }),
  )
}

function operationOf(
  { parameters = [], requestBody, responses, ...rest }: Fields,
  shared: Map<string, Shared>,
): Fields {
  const body = fieldsOf(requestBody)
  const content = fieldsOf(body.content)
  const [first] = Object.values(content) as Fields[]
  const given = (parameters as readonly Fields[]).map(parameterOf)
  const required = body.required === true ? { required: true } : {}
  const inBody = { name: 'body', in: 'body', ...required, schema: schemaOf(fieldsOf(first?.schema)) }
  const answers = Object.entries(fieldsOf(responses)) as [string, Fields][]
  const produces = new Set(answers.flatMap(([, answer]) => Object.keys(fieldsOf(answer.content))))
  const consumes = Object.keys(content)
  // An operation without a resource accepts the content types that it produces.
  if (consumes.length === 0) consumes.push(...(rest['x-kubernetes-action'] === undefined ? produces : ['*/*']))
  const all = (first === undefined ? given : [inBody, ...given]).map(one => referred(one, shared))
  return {
    ...rest,
    ...{ consumes, produces: [...produces], schemes: ['https'] },
    ...(all.length === 0 ? {} : { parameters: all }),
    responses: Object.fromEntries(answers.map(([code, answer]) => [code, answerOf(answer)])),
  }
}

function answerOf({ description, content }: Fields): Fields {
  const [first] = Object.values(fieldsOf(content)) as Fields[]
  return { description, ...(first === undefined ? {} : { schema: schemaOf(fieldsOf(first.schema)) }) }
}

function parameterOf({ schema, ...rest }: Fields): Fields {
  return { ...rest, ...schemaOf(fieldsOf(schema)) }
}

/** The parts of schemas that v2 does not have. */
const onlyInV3 = /^(any|all|one)Of$|^(not|nullable|default)$/

/** A schema in the form of v2. As on a real server, it lacks the parts that kubectl can't read. */
function schemaOf(schema: Fields): Fields {
  if (typeof schema.$ref === 'string') return { ...schema, $ref: referenceOf(schema.$ref) }
  const result: Record<string, unknown> = {}
  const nullable = schema.nullable === true
  const open = schema['x-kubernetes-preserve-unknown-fields'] === true
  const [referred] = Array.isArray(schema.allOf) ? (schema.allOf as Fields[]) : []
  if (typeof referred?.$ref === 'string') result.$ref = referenceOf(referred.$ref)
  // A value that may be a text or a number is a text in v2.
  if (schema.type === undefined && Object.keys(schema).some(name => /^one/.test(name))) result.type = 'string'
  for (const [name, value] of Object.entries(schema)) {
    if (onlyInV3.test(name)) continue
    if ((nullable || open) && (name === 'items' || name === 'properties')) continue
    if (name === 'type' && (nullable || (open && (value === 'object' || value === 'array')))) continue
    if (name === 'properties') {
      const each = Object.entries(value as Fields).map(([field, one]) => [field, schemaOf(one as Fields)])
      result[name] = Object.fromEntries(each)
    } else if (name === 'items' || (name === 'additionalProperties' && typeof value === 'object')) {
      result[name] = schemaOf(value as Fields)
    } else if (name === 'required') {
      const required = (value as readonly string[]).filter(
        field => fieldsOf(fieldsOf(schema.properties)[field]).nullable !== true,
      )
      if (required.length > 0) result[name] = required
    } else result[name] = value
  }
  return result
}

function referenceOf(reference: string): string {
  return reference.replace('#/components/schemas/', '#/definitions/')
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

function inOrder(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)))
}
