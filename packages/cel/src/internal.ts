/** For Wherry's other packages. Any release may change these exports, even a patch: programs import from the package itself. */
export { serviceAccountUser, serviceAccountUserName } from './functions/service-account-user.ts'
export { addAll } from './json/add-all.ts'
export {
  copyJson,
  isObject,
  isRawNumber,
  type Json,
  type JsonObject,
  mapJson,
  objectAt,
  objectsAt,
  own,
  parseJson,
  type RawNumber,
  sameJson,
  setOwn,
  sortKeys,
  stringAt,
  stringsAt,
} from './json/json.ts'
export {
  dns1035Problems,
  dnsLabelProblems,
  labelValueProblems,
  qualifiedNameProblems,
  subdomainProblems,
} from './json/qualified-name.ts'
export { type Correlation, fieldOf, itemOf, unchanged } from './structural/correlation.ts'
export { isFieldPath } from './structural/field-path.ts'
export { hasFormat, knownFormats } from './structural/formats.ts'
export { goJson, goNumber, goQuote, goValue, isInt64 } from './structural/go-text.ts'
export { goPatternProblem } from './structural/pattern.ts'
export {
  children,
  copyOf,
  flag,
  list,
  readSchema,
  type Schema,
  schemas,
  subschemas,
  unservedIn,
} from './structural/schema.ts'
export type { StatusCause } from './structural/status-cause.ts'
export type { ValidationRule } from './structural/validation-rule.ts'
