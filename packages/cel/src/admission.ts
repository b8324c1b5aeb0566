import type { User } from './authorization.ts'
import { compile, type Program } from './compile.ts'
import { dynamicValue } from './dynamic-values.ts'
import type { Variables } from './evaluate.ts'
import { Authorizer, type Decide, ResourceCheck } from './functions/authorizer.ts'
import type { Json, JsonObject } from './json/json.ts'
import { mutationMessages } from './mutation.ts'
import { readType, struct, type Type } from './types.ts'
import { CelError, Mapping, type Value } from './values.ts'

/** The variables that an expression of admission may have in addition to those of every expression. */
export interface Declared {
  readonly params: boolean
  readonly authorizer: boolean
  /** Whether the expression may make messages, as the expressions of mutations do. */
  readonly messages?: boolean | undefined
  /** The policy's own variables, which were compiled before. */
  readonly variables?: readonly Variable[] | undefined
}

/** An expression of admission, compiled. */
export interface Expression {
  readonly source: string
  /** The compiled expression; `undefined` if it has a problem. */
  readonly program: Program | undefined
  readonly problem: string
  /** Whether the server reports the problem as an internal error. */
  readonly internal: boolean
}

/** A variable of a policy: an expression with a name. */
export interface Variable {
  readonly name: string
  readonly expression: Expression
}

/** The values with which the expressions about a request are evaluated. */
export interface Input {
  readonly object: Json | undefined
  readonly oldObject: Json | undefined
  readonly request: JsonObject
  readonly namespaceObject: Json | undefined
  readonly params: Json | undefined
  /** Whether the objects, and the params, have built-in types. */
  readonly typed: { readonly object: boolean; readonly params: boolean }
  readonly user: User
  readonly decide: Decide
  /** The resource of the request. */
  readonly resource: ResourceCheck['resource']
}

const fields = (text: string): Map<string, Type> =>
  new Map(
    text.split(' ').map((field): [string, Type] => {
      const [name, type = 'string'] = field.split(':')
      return [name as string, readType(type.replaceAll('_', ', '))]
    }),
  )
const groupVersionKind = struct('kubernetes.GroupVersionKind', fields('group version kind'))
const groupVersionResource = struct('kubernetes.GroupVersionResource', fields('group version resource'))
const userInfo = struct(
  'kubernetes.UserInfo',
  fields('username uid groups:list<string> extra:map<string_list<string>>'),
)
const request = struct(
  'kubernetes.AdmissionRequest',
  new Map<string, Type>([
    ...fields('subResource requestSubResource name namespace operation dryRun:bool options:dyn'),
    ...[['kind', groupVersionKind] as const, ['requestKind', groupVersionKind] as const],
    ...[['resource', groupVersionResource] as const, ['requestResource', groupVersionResource] as const],
    ['userInfo', userInfo],
  ]),
)
const listOfStruct = (item: Type): Type => ({ kind: 'list', name: 'list', parameters: [item] })
const namespaceCondition = struct(
  'kubernetes.NamespaceCondition',
  fields('status type lastTransitionTime:timestamp message reason'),
)
const namespace = struct(
  'kubernetes.Namespace',
  new Map<string, Type>([
    [
      'metadata',
      struct(
        'kubernetes.NamespaceMetadata',
        fields(
          'name generateName namespace labels:map<string_string> annotations:map<string_string> UID ' +
            'creationTimestamp:timestamp deletionGracePeriodSeconds:int deletionTimestamp:timestamp generation:int ' +
            'resourceVersion finalizers:list<string>',
        ),
      ),
    ],
    ['spec', struct('kubernetes.NamespaceSpec', fields('finalizers:list<string>'))],
    [
      'status',
      struct(
        'kubernetes.NamespaceStatus',
        new Map([...fields('phase'), ['conditions', listOfStruct(namespaceCondition)]]),
      ),
    ],
  ]),
)

function declarations({ params, authorizer, variables }: Declared): Map<string, Type> {
  const all = new Map<string, Type>([
    ['object', readType('dyn')],
    ['oldObject', readType('dyn')],
    ['namespaceObject', namespace],
    ['request', request],
  ])
  if (params) all.set('params', readType('dyn'))
  if (authorizer) {
    all.set('authorizer', readType('kubernetes.authorization.Authorizer'))
    all.set('authorizer.requestResource', readType('kubernetes.authorization.ResourceCheck'))
  }
  if (variables !== undefined) {
    const types = variables.map(({ name, expression }): [string, Type] => [
      name,
      expression.program?.type ?? readType('dyn'),
    ])
    all.set('variables', struct('kubernetes.variables', new Map(types)))
  }
  return all
}

/** Compiles an expression of admission. `returns`: the allowed types of its result; empty: any type. */
export function compileExpression(source: string, returns: readonly string[], declared: Declared): Expression {
  const messages = declared.messages === true ? mutationMessages : undefined
  const result = compile(source, declarations(declared), messages)
  const failed = (problem: string, internal = false): Expression => ({ source, program: undefined, problem, internal })
  if ('issues' in result) {
    return result.instantiation
      ? failed(`program instantiation failed: ${result.issues}`, true)
      : failed(`compilation failed: ${result.issues}`)
  }
  const type = fullName(result.type)
  if (returns.length === 0 || returns.includes(type)) return { source, program: result, problem: '', internal: false }
  const must = returns.length === 1 ? String(returns[0]) : `one of [${returns.join(' ')}]`
  return failed(`must evaluate to ${must} but got ${type}`)
}

const fullNames: Readonly<Record<string, string>> = {
  null: 'null_type',
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
}

/** The full name of a type. */
function fullName({ name, parameters }: Type): string {
  const own = fullNames[name] ?? name
  return parameters.length === 0 ? own : `${own}(${parameters.map(fullName).join(', ')})`
}

/** The variables with which expressions are evaluated. They are made once for a request, and all expressions about it share them. */
export function inputValues(input: Input, variables: readonly Variable[] | undefined): Variables {
  const authorizer = new Authorizer(input.user, input.decide)
  const values = new Map<string, Value | undefined>([
    ['object', dynamicValue(input.object, input.typed.object)],
    ['oldObject', dynamicValue(input.oldObject, input.typed.object)],
    ['request', dynamicValue(input.request, true)],
    ['namespaceObject', dynamicValue(input.namespaceObject, true)],
    ['params', dynamicValue(input.params, input.typed.params)],
    ['authorizer', authorizer],
    ['authorizer.requestResource', new ResourceCheck(authorizer, input.resource)],
  ])
  if (variables !== undefined) values.set('variables', new PolicyVariables(variables, values))
  return values
}

/** The variables of a policy. Each is evaluated at its first read. If the evaluation fails, every read of the variable fails. */
class PolicyVariables extends Mapping {
  readonly #variables: ReadonlyMap<string, Expression>
  readonly #values: Variables
  readonly #made = new Map<string, Value | CelError>()

  constructor(variables: readonly Variable[], values: Variables) {
    super()
    this.#variables = new Map(variables.map(({ name, expression }) => [name, expression]))
    this.#values = values
  }

  get size(): number {
    return this.#variables.size
  }

  get(key: Value): Value | undefined {
    const name = String(key)
    const expression = this.#variables.get(name)
    if (expression === undefined) return undefined
    if (!this.#made.has(name)) {
      this.#made.set(name, new CelError(`composited variable "${name}" fails to evaluate: the variable reads itself`))
      this.#made.set(name, this.#evaluate(name, expression))
    }
    const value = this.#made.get(name)
    if (value instanceof CelError) throw value
    return value
  }

  keys(): readonly string[] {
    return [...this.#variables.keys()]
  }

  #evaluate(name: string, { program, problem }: Expression): Value | CelError {
    if (program === undefined) return new CelError(`composited variable "${name}" fails to compile: ${problem}`)
    const result = evaluated(() => program.evaluate(this.#values))
    if ('value' in result) return result.value
    return new CelError(`composited variable "${name}" fails to evaluate: ${result.error}`)
  }
}

/** The value of an expression, or its error in the server's words. */
export type Result = { readonly value: Value } | { readonly error: string }

export function evaluateExpression({ source, program, problem }: Expression, values: Variables): Result {
  if (program === undefined) return { error: `compilation error: ${problem}` }
  const result = evaluated(() => program.evaluate(values))
  return 'value' in result ? result : { error: `expression '${source}' resulted in error: ${result.error}` }
}

function evaluated(evaluate: () => Value): Result {
  try {
    return { value: evaluate() }
  } catch (error) {
    if (error instanceof CelError) return { error: error.message }
    throw error
  }
}

/** Whether all conditions are true. Returns false if any is false, even if others fail. Otherwise returns the text of the errors, if there are any. */
export function conditionsHold(conditions: readonly Expression[], values: Variables): boolean | string {
  const errors = new Set<string>()
  for (const condition of conditions) {
    const result = evaluateExpression(condition, values)
    if ('error' in result) errors.add(result.error)
    else if (result.value === false) return false
  }
  if (errors.size === 0) return true
  const list = [...errors].join(', ')
  return errors.size === 1 ? list : `[${list}]`
}
