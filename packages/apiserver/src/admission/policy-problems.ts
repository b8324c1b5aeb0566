import {
  type Json,
  type JsonObject,
  objectAt,
  objectsAt,
  own,
  qualifiedNameProblems,
  stringAt,
  stringsAt,
  subdomainProblems,
} from '@wherry/cel/internal'
import type { Declared, Variable } from '@wherry/cel/internal/evaluator'
import { invalid, required } from '../metadata/validate.ts'
import type { KubeObject } from '../objects/object.ts'
import { cel } from '../schema/rules.ts'
import type { StatusCause } from '../status.ts'
import { conditionProblems, problemsOf } from './conditions.ts'
import { chosen, ruleProblems } from './configuration-problems.ts'

const actions = ['Audit', 'Deny', 'Warn']
const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge']
const mostAnnotations = 20

/** The server's objections to the fields that all policies have. `declared`: the variables that the policy's own expressions may use. */
export function commonProblems(
  { kind }: KubeObject,
  spec: JsonObject,
): { readonly causes: readonly StatusCause[]; readonly declared: Declared } {
  const constraints = objectAt(spec, 'matchConstraints')
  const paramKind = objectAt(spec, 'paramKind')
  const params = paramKind !== undefined
  const variables: Variable[] = []
  const at = 'spec.matchConstraints'
  const causes = [
    ...chosen(spec, 'failurePolicy', ['Fail', 'Ignore'], 'spec'),
    ...['apiVersion', 'kind']
      .filter(field => paramKind !== undefined && (stringAt(paramKind, field) ?? '') === '')
      .map(field => required(`spec.paramKind.${field}`, '')),
    ...(constraints === undefined ? [required(at, '')] : resourceProblems(constraints, at)),
    ...(constraints !== undefined && objectsAt(constraints, 'resourceRules').length === 0
      ? [required(`${at}.resourceRules`, '')]
      : []),
    ...(kind.startsWith('Mutating') ? operationProblems(constraints, at) : []),
    ...conditionProblems(spec, 'spec', params),
    ...objectsAt(spec, 'variables').flatMap((one, i) =>
      variableProblems(one, `spec.variables[${i}]`, params, variables),
    ),
  ]
  return { causes, declared: { params, authorizer: true, ...(variables.length > 0 && { variables }) } }
}

/** The server's objections to a ValidatingAdmissionPolicy. */
export function policyProblems(object: KubeObject): StatusCause[] {
  const spec = objectAt(object, 'spec') ?? {}
  const { causes, declared } = commonProblems(object, spec)
  return [...causes, ...ruleListProblems(object, spec, declared)]
}

const mutable = ['*', 'CONNECT', 'CREATE', 'UPDATE']

/** Checks the operations of a MutatingAdmissionPolicy. A deleted object can't be changed. */
function operationProblems(resources: JsonObject | undefined, at: string): StatusCause[] {
  const supported = mutable.map(one => JSON.stringify(one)).join(', ')
  return objectsAt(resources, 'resourceRules')
    .flatMap(rule => stringsAt(rule, 'operations'))
    .filter(operation => !mutable.includes(operation))
    .map(operation => ({
      reason: 'FieldValueNotSupported',
      message: `Unsupported value: ${JSON.stringify(operation)}: supported values: ${supported}`,
      field: `${at}.resourceRules.operations`,
    }))
}

function ruleListProblems(object: KubeObject, spec: JsonObject, declared: Declared): StatusCause[] {
  const validations = objectsAt(spec, 'validations')
  const annotations = objectsAt(spec, 'auditAnnotations')
  if (validations.length === 0 && annotations.length === 0) {
    const why = 'validations or auditAnnotations must contain at least one item'
    return [required('spec.validations', why), required('spec.auditAnnotations', why)]
  }
  const seen = new Set<string>()
  const at = 'spec.auditAnnotations'
  return [
    ...validations.flatMap((one, i) => validationProblems(one, `spec.validations[${i}]`, declared)),
    ...(annotations.length > mostAnnotations
      ? [invalid(at, annotations, `must not have more than ${mostAnnotations} auditAnnotations`)]
      : []),
    ...annotations.flatMap((one, i) => {
      const key = stringAt(one, 'key') ?? ''
      const repeated = seen.has(key)
      seen.add(key)
      return [
        ...annotationProblems(object.metadata.name ?? '', one, `${at}[${i}]`, declared),
        ...(repeated ? [duplicate(`${at}[${i}].key`, key)] : []),
      ]
    }),
  ]
}

function duplicate(field: string, value: string): StatusCause {
  return { reason: 'FieldValueDuplicate', message: `Duplicate value: ${JSON.stringify(value)}`, field }
}

const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/
const reserved = new Set([
  ...['true', 'false', 'null', 'in', 'as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if', 'import'],
  ...['let', 'loop', 'package', 'namespace', 'return', 'var', 'void', 'while'],
])

/** Compiles a variable, and adds it to the variables before it. */
function variableProblems(one: JsonObject, at: string, params: boolean, variables: Variable[]): StatusCause[] {
  const name = stringAt(one, 'name') ?? ''
  const source = stringAt(one, 'expression') ?? ''
  const isIdentifier = identifier.test(name) && !reserved.has(name)
  const causes: StatusCause[] = []
  if (name.trim() === '') causes.push(required(`${at}.name`, 'name is not specified'))
  else if (!isIdentifier) causes.push(invalid(`${at}.name`, name, 'must be a valid CEL identifier'))
  if (source.trim() === '') return [...causes, required(`${at}.expression`, 'expression is not specified')]
  const declared = { params, authorizer: true, variables: [...variables] }
  const expression = cel().compileExpression(source, [], declared)
  variables.push({ name, expression })
  return [...causes, ...problemsOf(expression, `${at}.expression`)]
}

function validationProblems(one: JsonObject, at: string, declared: Declared): StatusCause[] {
  const causes: StatusCause[] = []
  const source = stringAt(one, 'expression') ?? ''
  const message = stringAt(one, 'message') ?? ''
  const messageExpression = stringAt(one, 'messageExpression') ?? ''
  if (source.trim() === '') causes.push(required(`${at}.expression`, 'expression is not specified'))
  else causes.push(...problemsOf(cel().compileExpression(source, ['bool'], declared), `${at}.expression`))
  if (messageExpression !== '' && messageExpression.trim() === '') {
    causes.push(invalid(`${at}.messageExpression`, messageExpression, 'must be non-empty if specified'))
  } else if (messageExpression !== '') {
    const compiled = cel().compileExpression(messageExpression, ['string'], { ...declared, authorizer: false })
    causes.push(...problemsOf(compiled, `${at}.messageExpression`))
  }
  if (message !== '' && message.trim() === '') {
    causes.push(invalid(`${at}.message`, message, 'must be non-empty if specified'))
  } else if (/[\n\r]/.test(message.trim())) {
    causes.push(invalid(`${at}.message`, message, 'must not contain line breaks'))
  }
  return [...causes, ...chosen(one, 'reason', reasons, at)]
}

function annotationProblems(name: string, one: JsonObject, at: string, declared: Declared): StatusCause[] {
  const key = stringAt(one, 'key') ?? ''
  const source = (stringAt(one, 'valueExpression') ?? '').trim()
  const whole = `${name}/${key}`
  const field = `${at}.valueExpression`
  return [
    ...qualifiedNameProblems(whole).map(why => invalid(`${at}.key`, whole, why)),
    ...(source === ''
      ? [required(field, 'valueExpression is not specified')]
      : problemsOf(cel().compileExpression(source, ['string', 'null_type'], declared), field)),
  ]
}

function resourceProblems(resources: JsonObject, at: string): StatusCause[] {
  return [
    ...chosen(resources, 'matchPolicy', ['Equivalent', 'Exact'], at),
    ...['resourceRules', 'excludeResourceRules'].flatMap(field =>
      objectsAt(resources, field).flatMap((rule, i) => {
        const names = stringsAt(rule, 'resourceNames')
        const repeated = names.flatMap((name, j) =>
          names.indexOf(name) < j ? [duplicate(`${at}.${field}[${i}].resourceNames[${j}]`, name)] : [],
        )
        return [...repeated, ...ruleProblems(rule, `${at}.${field}[${i}]`)]
      }),
    ),
  ]
}

/** The server's objections to a binding of a policy. */
export function bindingProblems(object: KubeObject): StatusCause[] {
  const given = own(objectAt(object, 'spec') ?? {}, 'validationActions')
  return [...commonBindingProblems(object), ...actionProblems(given, 'spec.validationActions')]
}

/** The server's objections to the fields that all bindings have. */
export function commonBindingProblems(object: KubeObject): StatusCause[] {
  const spec = objectAt(object, 'spec') ?? {}
  const policy = stringAt(spec, 'policyName') ?? ''
  const resources = objectAt(spec, 'matchResources')
  const at = 'spec.matchResources'
  return [
    ...(policy === ''
      ? [required('spec.policyName', '')]
      : subdomainProblems(policy).map(why => invalid('spec.policyName', policy, why))),
    ...paramRefProblems(objectAt(spec, 'paramRef'), 'spec.paramRef'),
    ...(resources === undefined ? [] : resourceProblems(resources, at)),
    ...(object.kind.startsWith('Mutating') ? operationProblems(resources, at) : []),
  ]
}

function paramRefProblems(paramRef: JsonObject | undefined, at: string): StatusCause[] {
  if (paramRef === undefined) return []
  const named = (stringAt(paramRef, 'name') ?? '') !== ''
  const selects = objectAt(paramRef, 'selector') !== undefined
  const both = (field: string): StatusCause => {
    const message = 'Forbidden: name and selector are mutually exclusive'
    return { reason: 'FieldValueForbidden', message, field: `${at}.${field}` }
  }
  return [
    ...(named && selects ? [both('name'), both('selector')] : []),
    ...(named || selects ? [] : [required(at, 'one of name or selector must be specified')]),
    ...((stringAt(paramRef, 'parameterNotFoundAction') ?? '') === ''
      ? [required(`${at}.parameterNotFoundAction`, '')]
      : chosen(paramRef, 'parameterNotFoundAction', ['Deny', 'Allow'], at)),
  ]
}

function actionProblems(given: Json | undefined, at: string): StatusCause[] {
  const list = Array.isArray(given) ? (given as string[]) : []
  if (list.length === 0) return [required(at, '')]
  const supported = actions.map(one => JSON.stringify(one)).join(', ')
  const causes = list.flatMap((action, i): StatusCause[] => {
    const field = `${at}[${i}]`
    const message = `Unsupported value: ${JSON.stringify(action)}: supported values: ${supported}`
    return [
      ...(actions.includes(action) ? [] : [{ reason: 'FieldValueNotSupported', message, field }]),
      ...(list.indexOf(action) < i ? [duplicate(field, action)] : []),
    ]
  })
  if (!list.includes('Deny') || !list.includes('Warn')) return causes
  const why =
    'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)'
  return [...causes, invalid(at, list, why)]
}
