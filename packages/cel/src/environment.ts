import { declare, type Functions } from './declarations.ts'
import { typeNames } from './evaluate.ts'
import { authorizers } from './functions/authorizer.ts'
import { containers } from './functions/containers.ts'
import { lists } from './functions/lists.ts'
import { namedFormats } from './functions/named-formats.ts'
import { nets } from './functions/net.ts'
import { numbers } from './functions/numbers.ts'
import { quantities } from './functions/quantity.ts'
import { regexes } from './functions/regex.ts'
import { semvers } from './functions/semver.ts'
import { strings } from './functions/strings.ts'
import { time } from './functions/time.ts'
import { urls } from './functions/url.ts'
import { dyn, listOf, mapOf, optionalOf, param, readType, type Type, typeOf } from './types.ts'

/** Kubernetes' functions. The functions of `authorizer` are declared for all expressions, although only expressions of admission have the variable. */
export const functions: Functions = declare(
  ...[containers, numbers, strings, time, regexes, lists],
  ...[quantities, nets, urls, semvers, namedFormats, authorizers],
)

const generic: Readonly<Record<string, Type>> = {
  list: listOf(param('A')),
  map: mapOf(param('A'), param('B')),
  type: typeOf(dyn),
  optional_type: optionalOf(param('A')),
  'google.protobuf.Timestamp': readType('timestamp'),
  'google.protobuf.Duration': readType('duration'),
  null_type: readType('null'),
}

/** The variables of every expression: types, by their names. */
export const typeVariables: ReadonlyMap<string, Type> = new Map(
  [...typeNames.keys()].map(name => [name, typeOf(generic[name] ?? readType(name))]),
)
