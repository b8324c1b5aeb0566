import type { Comprehension, Expr } from './ast.ts'
import type { Functions, Overload } from './declarations.ts'
import type { Issue } from './issues.ts'
import {
  bool,
  bytes,
  double,
  dyn,
  errorType,
  int,
  listOf,
  mapOf,
  nullType,
  optionalOf,
  printType,
  string,
  type Type,
  typeOf,
  uint,
  unwrapOptional,
} from './types.ts'
import { isLoose, mostGeneral, Substitutions } from './unify.ts'
import { type Literal, Uint } from './values.ts'

/** The result of a check. */
export interface Checked {
  readonly type: Type
  readonly types: ReadonlyMap<Expr, Type>
  /** Selections that are names with dots, such as the type `net.IP`. */
  readonly names: ReadonlyMap<Expr, string>
  /** The overloads that each call may have. */
  readonly overloads: ReadonlyMap<Expr, readonly Overload[]>
  /** The variables and the names of types that the expression reads, without the variables of comprehensions. */
  readonly reads: ReadonlySet<string>
  readonly issues: readonly Issue[]
}

/** The names that an expression may use. */
export interface Scope {
  readonly functions: Functions
  readonly variables: ReadonlyMap<string, Type>
  /** Returns the type of a message that expressions may make. Without this function, expressions can make no messages. */
  readonly message?: ((name: string) => Type | undefined) | undefined
}

/** Finds the types of an expression as the server's checker does, and returns its messages. */
export function check(expr: Expr, scope: Scope): Checked {
  const checker = new Checker(scope)
  const type = checker.whole(expr)
  return {
    type,
    types: checker.types,
    names: checker.names,
    overloads: checker.overloads,
    reads: checker.reads,
    issues: checker.issues,
  }
}

class Checker {
  readonly types = new Map<Expr, Type>()
  readonly names = new Map<Expr, string>()
  readonly overloads = new Map<Expr, Overload[]>()
  readonly reads = new Set<string>()
  readonly issues: Issue[] = []
  readonly #scope: Scope
  readonly #substitutions = new Substitutions()
  readonly #locals: Map<string, Type>[] = []

  constructor(scope: Scope) {
    this.#scope = scope
  }

  whole(expr: Expr): Type {
    this.#check(expr)
    for (const [node, type] of this.types) this.types.set(node, this.#substitutions.resolve(type, 'dyn'))
    return this.types.get(expr) as Type
  }

  #issue(at: number, message: string): Type {
    this.issues.push({ at, message })
    return errorType
  }

  #check(expr: Expr): Type {
    const type = this.#typeOf(expr)
    this.types.set(expr, type)
    return type
  }

  #typeOf(expr: Expr): Type {
    switch (expr.kind) {
      case 'literal':
        return literalType(expr.value)
      case 'ident':
        return this.#variable(expr.name) ?? this.#undeclared(expr.at, expr.name)
      case 'select':
        return this.#select(expr)
      case 'call':
        return this.#call(expr)
      case 'list':
        return this.#list(expr)
      case 'map':
        return this.#map(expr)
      case 'struct':
        return this.#struct(expr)
      default:
        return this.#comprehension(expr)
    }
  }

  #struct({ at, name, fields }: Extract<Expr, { kind: 'struct' }>): Type {
    const type = this.#scope.message?.(name)
    if (type === undefined) return this.#undeclared(at, name)
    for (const field of fields) {
      const given = this.#item(field.value, field.optional)
      const expected = type.fields === undefined ? dyn : type.fields.get(field.name)
      if (expected === undefined) this.#issue(field.at, `undefined field '${field.name}'`)
      else if (!this.#substitutions.assign([expected], [given])) {
        const why = `expected type of field '${field.name}' is '${printType(expected)}' but provided type is '${printType(given)}'`
        this.#issue(field.at, why)
      }
    }
    return type
  }

  #undeclared(at: number, name: string): Type {
    return this.#issue(at, `undeclared reference to '${name}' (in container '')`)
  }

  #variable(given: string): Type | undefined {
    const name = given.replace(/^\./, '')
    for (const locals of given === name ? this.#locals : []) {
      const type = locals.get(name)
      if (type !== undefined) return type
    }
    const type = this.#scope.variables.get(name)
    if (type !== undefined) this.reads.add(name)
    return type
  }

  #select(expr: Extract<Expr, { kind: 'select' }>): Type {
    const name = expr.test ? undefined : qualifiedName(expr)
    if (name !== undefined && !this.#locals.some(locals => locals.has(name.split('.')[0] as string))) {
      const type = this.#variable(name)
      if (type !== undefined) {
        this.names.set(expr, name)
        return type
      }
    }
    const type = this.#field(expr.at, expr.operand, expr.field, false)
    return expr.test ? bool : this.#substitutions.resolve(type)
  }

  #field(at: number, operand: Expr, field: string, optional: boolean): Type {
    const { type, optional: inOptional } = unwrapOptional(this.#substitutions.resolve(this.#check(operand)))
    let result: Type
    if (type.kind === 'map') result = type.parameters[1] as Type
    else if (type.kind === 'struct' && type.fields === undefined) result = dyn
    else if (type.kind === 'struct')
      result =
        type.fields?.get(field) ?? type.fields?.get(`__${field}__`) ?? this.#issue(at, `undefined field '${field}'`)
    else {
      if (type.kind === 'param') this.#substitutions.assign([dyn], [type])
      else if (!isLoose(type)) this.#issue(at, `type '${printType(type)}' does not support field selection`)
      result = dyn
    }
    return inOptional || optional ? optionalOf(result) : result
  }

  #call(expr: Extract<Expr, { kind: 'call' }>): Type {
    const { name, target, args } = expr
    if (name === '_?._') {
      const [operand, field] = args as [Expr, Expr & { value: string }]
      this.types.set(field, string)
      this.overloads.set(expr, [...(this.#scope.functions.get(name) ?? [])])
      return this.#substitutions.resolve(this.#field(expr.at, operand, field.value, true))
    }
    for (const arg of args) this.#check(arg)
    if (target === undefined) {
      const overloads = this.#scope.functions.get(name.replace(/^\./, ''))
      if (overloads === undefined) return this.#undeclared(expr.at, name)
      return this.#resolve(expr, name, overloads, args, false)
    }
    const prefix = qualifiedName(target)
    const qualified = prefix === undefined ? undefined : `${prefix}.${name}`
    const global = qualified === undefined ? undefined : this.#scope.functions.get(qualified)
    if (global !== undefined) {
      this.names.set(expr, qualified as string)
      return this.#resolve(expr, qualified as string, global, args, false)
    }
    this.#check(target)
    const overloads = this.#scope.functions.get(name)
    if (overloads === undefined) return this.#undeclared(expr.at, name)
    return this.#resolve(expr, name, overloads, [target, ...args], true)
  }

  #resolve(expr: Expr, name: string, overloads: readonly Overload[], args: readonly Expr[], member: boolean): Type {
    const given = args.map(arg => this.types.get(arg) as Type)
    const possible: Overload[] = []
    this.overloads.set(expr, possible)
    if (name === '_&&_' || name === '_||_') {
      possible.push(...overloads)
      return this.#logical(args, given)
    }
    let result: Type | undefined
    for (const overload of overloads) {
      if (overload.member !== member) continue
      const fresh = new Map<string, Type>()
      const parameters = overload.parameters.map(type => this.#instance(type, fresh))
      const returned = this.#instance(overload.result, fresh)
      if (!this.#substitutions.assign(given, parameters)) continue
      possible.push(overload)
      const type = this.#substitutions.resolve(returned)
      if (result === undefined) result = type
      else if (result.kind !== 'dyn' && printType(result) !== printType(type)) result = dyn
    }
    if (result !== undefined) return result
    const [first = '', ...rest] = given.map(type => printType(this.#substitutions.resolve(type, 'dyn')))
    const applied = member ? `${first}.(${rest.join(', ')})` : `(${[first, ...rest].join(', ')})`
    return this.#issue(expr.at, `found no matching overload for '${name}' applied to '${applied}'`)
  }

  #logical(args: readonly Expr[], given: readonly Type[]): Type {
    let result = bool
    for (const [i, type] of given.entries()) {
      if (this.#substitutions.assign([type], [bool])) continue
      result = this.#mismatch((args[i] as Expr).at, bool, type)
    }
    return result
  }

  #instance(type: Type, fresh: Map<string, Type>): Type {
    if (type.kind === 'param') {
      const known = fresh.get(type.name) ?? this.#substitutions.fresh()
      fresh.set(type.name, known)
      return known
    }
    if (type.parameters.length === 0) return type
    return { ...type, parameters: type.parameters.map(parameter => this.#instance(parameter, fresh)) }
  }

  #mismatch(at: number, expected: Type, found: Type): Type {
    return this.#issue(at, `expected type '${printType(expected)}' but found '${printType(found)}'`)
  }

  #list({ elements, optional }: Extract<Expr, { kind: 'list' }>): Type {
    let joined: Type | undefined
    for (const [i, element] of elements.entries()) {
      const type = this.#item(element, optional.has(i))
      joined = this.#join(joined, type)
    }
    return listOf(joined ?? this.#substitutions.fresh())
  }

  #item(expr: Expr, optional: boolean): Type {
    const type = this.#check(expr)
    if (!optional) return type
    const unwrapped = unwrapOptional(type)
    if (!unwrapped.optional && type.kind !== 'dyn') this.#mismatch(expr.at, optionalOf(type), type)
    return unwrapped.type
  }

  #map({ entries }: Extract<Expr, { kind: 'map' }>): Type {
    let key: Type | undefined
    let value: Type | undefined
    for (const entry of entries) {
      key = this.#join(key, this.#check(entry.key))
      value = this.#join(value, this.#item(entry.value, entry.optional))
    }
    return mapOf(key ?? this.#substitutions.fresh(), value ?? this.#substitutions.fresh())
  }

  #join(previous: Type | undefined, type: Type): Type {
    if (previous === undefined) return type
    if (this.#substitutions.assign([previous], [type])) return mostGeneral(previous, type)
    return dyn
  }

  #comprehension(expr: Expr & Comprehension): Type {
    this.#check(expr.range)
    const accu = this.#check(expr.init)
    const range = this.#substitutions.resolve(this.types.get(expr.range) as Type)
    const two = expr.variable2 !== undefined
    let first: Type = dyn
    let second: Type = dyn
    if (range.kind === 'list') {
      const item = range.parameters[0] as Type
      first = two ? int : item
      second = item
    } else if (range.kind === 'map') [first, second] = range.parameters as [Type, Type]
    else if (range.kind === 'param') this.#substitutions.assign([dyn], [range])
    else if (!isLoose(range)) {
      const why = `expression of type '${printType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`
      first = second = this.#issue(expr.range.at, why)
    }
    this.#locals.unshift(new Map([[expr.accu, accu]]))
    const variables = new Map([[expr.variable, first]])
    if (expr.variable2 !== undefined) variables.set(expr.variable2, second)
    this.#locals.unshift(variables)
    this.#assert(expr.condition, bool)
    this.#assert(expr.step, accu)
    this.#locals.shift()
    const result = this.#check(expr.result)
    this.#locals.shift()
    return this.#substitutions.resolve(result)
  }

  #assert(expr: Expr, expected: Type): void {
    const type = this.#check(expr)
    if (!this.#substitutions.assign([expected], [type])) this.#mismatch(expr.at, expected, type)
  }
}

/** The name `a.b.c` of plain selections; `undefined` for any other expression. */
export function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name
  if (expr.kind !== 'select' || expr.test) return undefined
  const prefix = qualifiedName(expr.operand)
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`
}

function literalType(value: Literal): Type {
  if (value === null) return nullType
  if (value instanceof Uint) return uint
  if (value instanceof Uint8Array) return bytes
  return { bigint: int, number: double, string, boolean: bool }[typeof value as 'bigint'] ?? typeOf(dyn)
}
