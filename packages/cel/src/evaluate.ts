import type { Comprehension, Expr } from './ast.ts'
import type { Checked } from './checker.ts'
import { callCost } from './cost/call-cost.ts'
import { making } from './cost/factors.ts'
import { Meter, TooCostlyError } from './cost/meter.ts'
import type { Functions, Overload } from './declarations.ts'
import { indexed } from './functions/containers.ts'
import type { Type } from './types.ts'
import { CelError, Entries, List, Mapping, Message, Optional, TypeValue, typeName, type Value } from './values.ts'

/** The values of an expression's variables. A variable without a value is an error where it is read. */
export type Variables = ReadonlyMap<string, Value | undefined>

/** Evaluates a checked expression. Throws a `CelError`. `constants`: its parts without a cost. */
export function evaluate(
  expr: Expr,
  checked: Checked,
  functions: Functions,
  variables: Variables,
  constants: ReadonlySet<Expr> = new Set(),
  meter: Meter = new Meter(),
): Value {
  return new Evaluation(checked, functions, variables, constants, meter).value(expr)
}

class Evaluation {
  readonly #checked: Checked
  readonly #functions: Functions
  readonly #variables: Variables
  readonly #locals: Map<string, Value>[] = []
  readonly #constants: ReadonlySet<Expr>
  readonly #meter: Meter
  /** Whether a constant part is being evaluated, which costs nothing. */
  #isFree = false

  constructor(
    checked: Checked,
    functions: Functions,
    variables: Variables,
    constants: ReadonlySet<Expr>,
    meter: Meter,
  ) {
    this.#constants = constants
    this.#meter = meter
    this.#checked = checked
    this.#functions = functions
    this.#variables = variables
  }

  value(expr: Expr): Value {
    if (this.#isFree || !this.#constants.has(expr)) return this.#counted(expr)
    this.#isFree = true
    try {
      return this.#counted(expr)
    } finally {
      this.#isFree = false
    }
  }

  #spend(cost: number): void {
    if (!this.#isFree) this.#meter.spend(cost)
  }

  #counted(expr: Expr): Value {
    switch (expr.kind) {
      case 'literal':
        return expr.value
      case 'ident':
        return this.#variable(expr.name)
      case 'select':
        return this.#select(expr)
      case 'call':
        return this.#call(expr)
      case 'list':
        return this.#list(expr)
      case 'map':
        return this.#map(expr)
      case 'comprehension':
        return this.#comprehension(expr)
      default:
        return this.#message(expr)
    }
  }

  #variable(given: string): Value {
    const name = given.replace(/^\./, '')
    for (const locals of given === name ? this.#locals : []) {
      const local = locals.get(name)
      if (local !== undefined) {
        this.#spend(1)
        return local
      }
    }
    // Null is a value.
    const known = this.#variables.get(name)
    // The name of a type is a constant.
    const type = known === undefined ? typeNames.get(name) : undefined
    if (type === undefined) this.#spend(1)
    const value = type ?? known
    if (value === undefined) throw new CelError(`no such attribute(s): ${name}`)
    return value
  }

  /** Returns the value of an index or of a branch of `?:`. A real server counts a path there as a part of the path around it: one read less. */
  #within(expr: Expr): Value {
    const before = this.#meter.spent
    const value = this.value(expr)
    if (isPath(expr) && this.#meter.spent > before) this.#spend(-1)
    return value
  }

  #select(expr: Extract<Expr, { kind: 'select' }>): Value {
    const name = this.#checked.names.get(expr)
    if (name !== undefined) return this.#variable(name)
    const operand = this.value(expr.operand)
    const container = operand instanceof Optional ? operand.value : operand
    const found = container === undefined ? undefined : fieldOf(container, expr.field)
    // An absent optional value costs no read.
    const isMissed = operand instanceof Optional && found === undefined
    if (!expr.test) this.#spend(pathCost(expr.operand) - Number(isMissed))
    if (expr.test) return found !== undefined
    if (operand instanceof Optional) return new Optional(found)
    if (found === undefined) throw new CelError(`no such key: ${expr.field}`)
    return found
  }

  #call(expr: Extract<Expr, { kind: 'call' }>): Value {
    const { name, args } = expr
    const [first, second, third] = args as [Expr, Expr, Expr]
    if (name === '_&&_' || name === '_||_') return this.#logical(name === '_||_', first, second)
    if (name === '_?:_' || name === '_?_:_') {
      const condition = this.value(first)
      if (typeof condition !== 'boolean') throw new CelError('no such overload')
      return this.#within(condition ? second : third)
    }
    if (name === '@not_strictly_false') return this.#notStrictlyFalse(first)
    if ((name === 'or' || name === 'orValue') && expr.target !== undefined)
      return this.#alternative(expr.target, name, first)
    // As in a real server, the result is false for an empty list, even if the other operand fails.
    if (name === '@in' && second?.kind === 'list' && second.elements.length === 0) return false
    const global = this.#checked.names.get(expr)
    const target = global === undefined ? expr.target : undefined
    const isIndex = name === '_[_]' || name === '_[?_]'
    const given = target === undefined ? args : [target, ...args]
    const values = given.map((arg, i) => (isIndex && i === 1 ? this.#within(arg) : this.value(arg)))
    const called = (global ?? name).replace(/^\./, '')
    const overloads = this.#functions.get(called) ?? []
    // The types of a dynamic container or index choose no overload, so `indexed` checks the values.
    if (name === '_[_]') {
      this.#spend(pathCost(first))
      return indexed(values[0] as Value, values[1] as Value)
    }
    const overload = overloads.find(one => one.member === (target !== undefined) && matches(one, values))
    if (overload === undefined) throw new CelError(noSuchOverload(called, values))
    let result: Value | undefined
    try {
      result = (overload.call as (...given: Value[]) => Value)(...values)
      return result
    } finally {
      // A search in a constant list costs nothing: a real server looks up a table.
      if (isOptionalPath(called))
        this.#spend(pathCost(first) - Number(!(result instanceof Optional && result.value !== undefined)))
      else if (called !== '@in' || !this.#constants.has(second)) this.#spend(callCost(called, overload, values, result))
    }
  }

  /** Returns the optional value, or the alternative. The alternative is evaluated only if it is needed. */
  #alternative(target: Expr, name: 'or' | 'orValue', other: Expr): Value {
    const optional = this.value(target)
    if (!(optional instanceof Optional)) throw new CelError('no such overload')
    if (optional.value === undefined) return this.value(other)
    return name === 'or' ? optional : optional.value
  }

  /** Evaluates `&&` or `||`. If either side has the decisive value, the other side does not matter, even if it fails. */
  #logical(decisive: boolean, ...terms: readonly Expr[]): boolean {
    let failed: unknown
    for (const term of terms) {
      try {
        const value = this.value(term)
        if (value === decisive) return decisive
        if (typeof value !== 'boolean') failed ??= new CelError('no such overload')
      } catch (error) {
        failed ??= this.#absorb(error)
      }
    }
    if (failed !== undefined) throw failed
    return !decisive
  }

  #notStrictlyFalse(expr: Expr): boolean {
    this.#spend(1)
    try {
      return this.value(expr) !== false
    } catch (error) {
      this.#absorb(error)
      return true
    }
  }

  /** Returns an error that a decisive value may hide. Throws any other error, such as that of an evaluation that costs too much. */
  #absorb(error: unknown): unknown {
    if (!(error instanceof CelError) || error instanceof TooCostlyError) throw error
    return error
  }

  #list({ elements, optional }: Extract<Expr, { kind: 'list' }>): Value {
    const items: Value[] = []
    for (const [i, element] of elements.entries()) {
      const value = this.value(element)
      if (!optional.has(i)) items.push(value)
      else if (!(value instanceof Optional)) throw new CelError('no such overload')
      else if (value.value !== undefined) items.push(value.value)
    }
    this.#spend(making.list)
    return new List(items)
  }

  #map({ entries }: Extract<Expr, { kind: 'map' }>): Value {
    const pairs: [Value, Value][] = []
    for (const { key, value, optional } of entries) {
      const name = this.value(key)
      const given = this.value(value)
      if (!optional) pairs.push([name, given])
      else if (!(given instanceof Optional)) throw new CelError('no such overload')
      else if (given.value !== undefined) pairs.push([name, given.value])
    }
    this.#spend(making.map)
    return new Entries(pairs)
  }

  #message({ name, fields }: Extract<Expr, { kind: 'struct' }>): Value {
    const made = new Map<string, Value>()
    for (const { name: field, value: given, optional } of fields) {
      const value = this.value(given)
      if (!optional) made.set(field, value)
      else if (!(value instanceof Optional)) throw new CelError('no such overload')
      else if (value.value !== undefined) made.set(field, value.value)
    }
    this.#spend(making.struct)
    return new Message(name, made)
  }

  #comprehension(expr: Comprehension): Value {
    const range = this.value(expr.range)
    const outer = new Map([[expr.accu, this.value(expr.init)]])
    this.#locals.unshift(outer)
    try {
      const failed = this.#iterate(expr, range, outer)
      if (failed !== undefined) throw failed
      return this.value(expr.result)
    } finally {
      this.#locals.shift()
    }
  }

  /** Evaluates the steps of a comprehension. If the carried value is an error at the end, returns that error. */
  #iterate(expr: Comprehension, range: Value, outer: Map<string, Value>): unknown {
    const inner = new Map<string, Value>()
    this.#locals.unshift(inner)
    let failed: unknown
    try {
      for (const [first, second] of items(range, expr.variable2 !== undefined)) {
        inner.set(expr.variable, first)
        if (expr.variable2 !== undefined) inner.set(expr.variable2, second)
        if (failed === undefined && this.value(expr.condition) === false) break
        try {
          if (failed === undefined) outer.set(expr.accu, this.value(expr.step))
          else if (this.#decides(expr.step)) {
            failed = undefined
            outer.set(expr.accu, (expr.step as { name?: string }).name === '_||_')
          }
        } catch (error) {
          this.#absorb(error)
          // Only quantifiers continue after an error, because their condition ignores it.
          if (!isQuantifier(expr)) throw error
          failed ??= error
        }
      }
    } finally {
      this.#locals.shift()
    }
    return failed
  }

  /** Whether the predicate of a quantifier decides the result, although an earlier evaluation failed. */
  #decides(step: Expr): boolean {
    if (step.kind !== 'call') return false
    return this.value(step.args[1] as Expr) === (step.name === '_||_')
  }
}

function isQuantifier({ condition, step }: Comprehension): boolean {
  const carries = step.kind === 'call' && (step.name === '_&&_' || step.name === '_||_')
  return carries && condition.kind === 'call'
}

function* items(range: Value, two: boolean): Iterable<readonly [Value, Value]> {
  if (range instanceof List) {
    for (let i = 0; i < range.size; i++) yield two ? [BigInt(i), range.at(i)] : [range.at(i), null]
  } else if (range instanceof Mapping) {
    for (const key of range.keys()) yield [key, two ? (range.get(key) as Value) : null]
  } else {
    const name = typeName(range).replace('null_type', 'null').replace(/^.*\./, '')
    throw new CelError(`got 'types.${name.charAt(0).toUpperCase()}${name.slice(1)}', expected iterable type`)
  }
}

/** The cost of a read in a value: one read more if the expression makes the value. */
function pathCost(operand: Expr): number {
  return isPath(operand) ? 1 : 2
}

/** Whether an expression is a path to a value. */
function isPath(expr: Expr): boolean {
  if (expr.kind === 'ident') return true
  return expr.kind === 'select'
    ? !expr.test
    : expr.kind === 'call' && (expr.name === '_[_]' || isOptionalPath(expr.name))
}

function isOptionalPath(name: string): boolean {
  return name === '_?._' || name === '_[?_]'
}

/** The value of a field, or of a map's key; `undefined` if it does not exist. */
export function fieldOf(container: Value, key: Value): Value | undefined {
  if (container instanceof Mapping) return container.get(key)
  if (container instanceof Message) return container.fields.get(String(key))
  if (container instanceof List) throw new CelError(`unsupported index type '${typeName(key)}' in list`)
  return undefined
}

function matches({ parameters }: Overload, values: readonly Value[]): boolean {
  return parameters.length === values.length && parameters.every((type, i) => fits(type, values[i] as Value))
}

/** Whether a value has a type, by its kind and, in a list, by the first item. */
function fits(type: Type, value: Value): boolean {
  switch (type.kind) {
    case 'dyn':
    case 'param':
      return true
    case 'null':
      return value === null
    case 'list': {
      if (!(value instanceof List)) return false
      return value.size === 0 || fits(type.parameters[0] as Type, value.at(0))
    }
    case 'map':
      return value instanceof Mapping
    case 'type':
      return value instanceof TypeValue
    case 'opaque':
      return typeName(value) === type.name
    default:
      return typeName(value) === (fullNames[type.name] ?? type.name)
  }
}

const fullNames: Readonly<Record<string, string>> = {
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
}

/** Operators with one implementation for all types. Their refusals name no types. */
const untyped = new Set(['_<_', '_<=_', '_>_', '_>=_', '_+_', '_-_', '_*_', '_/_', '_%_', '-_', '!_', '_[_]', '@in'])
const numbers = ['int', 'uint', 'double']
const times = ['google.protobuf.Timestamp', 'google.protobuf.Duration']
/** Types with methods of their own. Their refusals of operators name no operator. */
const receivers = [...times, 'string']
const ordered = new Set([...numbers, ...receivers, 'bool', 'bytes'])
/** For each operator, the types of the left side for which the refusal does not name the operator. */
const operators: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ...['_<_', '_<=_', '_>_', '_>=_'].map((name): [string, ReadonlySet<string>] => [name, ordered]),
  ['_+_', new Set([...numbers, ...receivers, 'bytes', 'list'])],
  ...['_-_', '_*_', '_/_'].map((name): [string, ReadonlySet<string>] => [name, new Set([...numbers, ...receivers])]),
  ['_%_', new Set(['int', 'uint', ...receivers])],
])
const bare = new Set(['contains', 'startsWith', 'endsWith', 'matches'])

function noSuchOverload(name: string, values: readonly Value[]): string {
  const operands = operators.get(name)
  if (operands !== undefined && !operands.has(typeName(values[0] as Value))) return `no such overload: ${name}`
  if (untyped.has(name)) return 'no such overload'
  if (bare.has(name)) return 'no such overload'
  return `no such overload: ${name}(${values.map(typeName).join(', ')})`
}

/** The types that expressions use as values, by their names. */
export const typeNames: ReadonlyMap<string, TypeValue> = new Map(
  [
    ...['bool', 'int', 'uint', 'double', 'string', 'bytes', 'list', 'map', 'null_type', 'type', 'optional_type'],
    ...['google.protobuf.Timestamp', 'google.protobuf.Duration', 'net.IP', 'net.CIDR'],
    ...['kubernetes.URL', 'kubernetes.Quantity', 'kubernetes.Semver', 'kubernetes.NamedFormat'],
  ].map(name => [name, new TypeValue(name)]),
)
