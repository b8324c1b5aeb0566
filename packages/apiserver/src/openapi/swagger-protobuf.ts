import type { Fields } from './documents.ts'
import type { Swagger } from './swagger.ts'

/**
 * The fields of the protobuf messages of OpenAPI v2, by their names in JSON: `number:type`. The types: `s` a text, `b` true or false, `n` a number, `d` a
 * number with a fraction, `a` any value, `*` a map by names, or the name of a message. `[]` before a type: a list.
 *
 * @see https://github.com/google/gnostic-models/blob/main/openapiv2/OpenAPIv2.proto
 */
const messages: Readonly<Record<string, string>> = {
  Document:
    'swagger=1:s info=2:Info paths=8:Paths definitions=9:*Schema parameters=10:*Defined security=12:[]Requirement securityDefinitions=13:*Security',
  Info: 'title=1:s version=2:s description=3:s',
  Item: 'get=2:Operation put=3:Operation post=4:Operation delete=5:Operation options=6:Operation head=7:Operation patch=8:Operation parameters=9:[]Parameter',
  Operation:
    'tags=1:[]s description=3:s operationId=5:s produces=6:[]s consumes=7:[]s parameters=8:[]Parameter responses=9:Responses schemes=10:[]s deprecated=11:b x-=13',
  Body: 'description=1:s name=2:s in=3:s required=4:b schema=5:Schema',
  Query: 'required=1:b in=2:s description=3:s name=4:s type=6:s format=7:s uniqueItems=20:b',
  Path: 'required=1:b in=2:s description=3:s name=4:s type=5:s format=6:s uniqueItems=19:b',
  Response: 'description=1:s schema=2:Wrapped',
  Schema:
    '$ref=1:s format=2:s title=3:s description=4:s multipleOf=6:d maximum=7:d exclusiveMaximum=8:b minimum=9:d exclusiveMinimum=10:b maxLength=11:n minLength=12:n pattern=13:s maxItems=14:n minItems=15:n uniqueItems=16:b maxProperties=17:n minProperties=18:n required=19:[]s enum=20:[]a additionalProperties=21:Others type=22:Type items=23:Wrapped properties=25:*Schema x-=31',
  ApiKey: 'type=1:s name=2:s in=3:s description=4:s',
}

interface MessageField {
  readonly number: number
  readonly type: string
  readonly repeated: boolean
}

/** A document of OpenAPI v2 in protobuf, the only form in which client-go requests it. */
export function swaggerBytes(document: Swagger): Buffer {
  return message('Document', document)
}

function message(name: string, value: Fields): Buffer {
  const fields = fieldsOf(name)
  const parts: Buffer[] = []
  const more: Buffer[] = []
  for (const [key, one] of Object.entries(value)) {
    const field = fields.get(key)
    const extension = fields.get('x-')
    if (field === undefined) {
      if (key.startsWith('x-') && extension !== undefined) more.push(lengthed(extension.number, named(key, any(one))))
      continue
    }
    const list = field.repeated ? (one as unknown[]) : [one]
    for (const item of list) parts.push(fieldOf(field, item))
  }
  return Buffer.concat([...parts, ...more])
}

function fieldsOf(name: string): ReadonlyMap<string, MessageField> {
  return new Map(
    (messages[name] ?? '').split(' ').map((text): [string, MessageField] => {
      const equals = text.lastIndexOf('=')
      const [number = '', type = ''] = text.slice(equals + 1).split(':')
      const repeated = type.startsWith('[]')
      return [text.slice(0, equals), { number: Number(number), type: repeated ? type.slice(2) : type, repeated }]
    }),
  )
}

function fieldOf({ number, type }: MessageField, value: unknown): Buffer {
  if (type === 's') return lengthed(number, Buffer.from(String(value)))
  if (type === 'b' || type === 'n') return Buffer.concat([varint(number << 3), varint(Number(value))])
  if (type === 'd') {
    const bytes = Buffer.alloc(8)
    bytes.writeDoubleLE(Number(value))
    return Buffer.concat([varint((number << 3) | 1), bytes])
  }
  if (type === 'a') return lengthed(number, any(value))
  return lengthed(number, type.startsWith('*') ? mapOf(type.slice(1), value as Fields) : special(type, value))
}

function special(type: string, value: unknown): Buffer {
  const fields = value as Fields
  switch (type) {
    case 'Paths':
      return Buffer.concat(
        Object.entries(fields).map(([path, item]) => lengthed(2, named(path, message('Item', item as Fields)))),
      )
    case 'Responses':
      return Buffer.concat(
        Object.entries(fields).map(([code, answer]) =>
          lengthed(1, named(code, lengthed(1, message('Response', answer as Fields)))),
        ),
      )
    case 'Parameter':
      if (typeof fields.$ref === 'string') return lengthed(2, lengthed(1, Buffer.from(fields.$ref)))
      return lengthed(1, parameterOf(fields))
    case 'Defined':
      return parameterOf(fields)
    case 'Requirement':
      return mapOf('', fields)
    case 'Security':
      return lengthed(2, message('ApiKey', fields))
    case 'Wrapped':
      return lengthed(1, message('Schema', fields))
    case 'Type':
      return lengthed(1, Buffer.from(String(value)))
    case 'Others':
      return typeof value === 'boolean'
        ? Buffer.concat([varint(2 << 3), varint(Number(value))])
        : lengthed(1, message('Schema', fields))
    default:
      return message(type, fields)
  }
}

function parameterOf(parameter: Fields): Buffer {
  if (parameter.in === 'body') return lengthed(1, message('Body', parameter))
  const query = parameter.in === 'query'
  return lengthed(2, lengthed(query ? 3 : 4, message(query ? 'Query' : 'Path', parameter)))
}

/** A map as protobuf encodes it: a list of names with values. */
function mapOf(type: string, value: Fields): Buffer {
  return Buffer.concat(
    Object.entries(value).map(([name, one]) =>
      lengthed(1, named(name, type === '' ? Buffer.alloc(0) : special(type, one))),
    ),
  )
}

function named(name: string, value: Buffer): Buffer {
  return Buffer.concat([lengthed(1, Buffer.from(name)), lengthed(2, value)])
}

/** Any value, as YAML. JSON is a part of YAML. */
function any(value: unknown): Buffer {
  return lengthed(2, Buffer.from(`${JSON.stringify(value)}\n`))
}

function lengthed(number: number, value: Buffer): Buffer {
  return Buffer.concat([varint((number << 3) | 2), varint(value.length), value])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80)
  return Buffer.from([...bytes, rest])
}
