import type { Comprehension, Expr } from '../ast.ts'
import type { Checked } from '../checker.ts'
import type { Overload } from '../declarations.ts'
import type { Type } from '../types.ts'
import { estimateCall, type Operand } from './call-estimate.ts'
import { making } from './factors.ts'
import { either, fixed, most, plus, type Range, times, unknown } from './range.ts'
import { type Sizes, sizesAt } from './schema-sizes.ts'

/**
 * The maximum cost of an expression, in the server's units. The server refuses rules by this estimate, so it follows cel-go's `checker/cost.go` step by step,
 * even if the estimate is far from the cost of an evaluation.
 */
export function estimateCost(expr: Expr, checked: Checked, root: Sizes): number {
  return new Estimator(checked, root).cost(expr).max
}

/** The sizes of the keys and values of a list or a map. */
interface EntrySizes {
  readonly kind: 'list' | 'map'
  readonly key: Range
  readonly value: Range
}

/** A variable of a comprehension. */
interface Local {
  readonly path: readonly string[] | undefined
  readonly size: Range | undefined
  readonly entries: EntrySizes | undefined
}

type Of<K extends Expr['kind']> = Extract<Expr, { kind: K }>

class Estimator {
  readonly #checked: Checked
  readonly #root: Sizes
  readonly #paths = new Map<Expr, readonly string[] | undefined>()
  readonly #sizes = new Map<Expr, Range>()
  readonly #entries = new Map<Expr, EntrySizes>()
  readonly #locals: (readonly [name: string, local: Local])[] = []

  constructor(checked: Checked, root: Sizes) {
    this.#checked = checked
    this.#root = root
  }

  cost(expr: Expr): Range {
    const name = this.#nameOf(expr)
    if (name !== undefined) {
      const local = this.#local(name)
      this.#paths.set(expr, local === undefined ? [name] : local.path)
      return fixed(1)
    }
    switch (expr.kind) {
      case 'select':
        return this.#select(expr)
      case 'call':
        return this.#call(expr)
      case 'list':
        return this.#list(expr)
      case 'map':
        return this.#map(expr)
      case 'struct':
        return plus(...expr.fields.map(({ value }) => this.cost(value)), fixed(making.struct))
      case 'comprehension':
        return isBinding(expr) ? this.#binding(expr) : this.#loop(expr)
      default:
        return fixed(0)
    }
  }

  /** The variable that an expression refers to. */
  #nameOf(expr: Expr): string | undefined {
    if (expr.kind === 'ident') return expr.name.replace(/^\./, '')
    return expr.kind === 'select' ? this.#checked.names.get(expr) : undefined
  }

  #local(name: string): Local | undefined {
    return this.#locals.findLast(([one]) => one === name)?.[1]
  }

  #type(expr: Expr): Type {
    return this.#checked.types.get(expr) as Type
  }

  #path(expr: Expr): readonly string[] | undefined {
    const name = expr.kind === 'ident' ? this.#nameOf(expr) : undefined
    const local = name === undefined ? undefined : this.#local(name)
    return local === undefined ? this.#paths.get(expr) : local.path
  }

  #select(expr: Of<'select'>): Range {
    const operand = this.cost(expr.operand)
    if (expr.test) return operand
    const { kind } = this.#type(expr.operand)
    this.#paths.set(expr, [...(this.#path(expr.operand) ?? []), expr.field])
    return kind === 'map' || kind === 'struct' ? plus(operand, fixed(1)) : operand
  }

  #list(expr: Of<'list'>): Range {
    const costs = expr.elements.map(element => this.cost(element))
    const value = this.#eitherOf(expr.elements)
    this.#entries.set(expr, { kind: 'list', key: fixed(1), value })
    return plus(...costs, fixed(making.list))
  }

  #map(expr: Of<'map'>): Range {
    const costs = expr.entries.map(entry => plus(this.cost(entry.key), this.cost(entry.value)))
    const key = this.#eitherOf(expr.entries.map(entry => entry.key))
    const value = this.#eitherOf(expr.entries.map(entry => entry.value))
    this.#entries.set(expr, { kind: 'map', key, value })
    return plus(...costs, fixed(making.map))
  }

  #eitherOf(exprs: readonly Expr[]): Range {
    if (exprs.length === 0) return fixed(0)
    return exprs.map(expr => this.#size(expr) ?? unknown).reduce(either)
  }

  #call(expr: Of<'call'>): Range {
    if (expr.name === 'dyn' && expr.args[0] !== undefined) {
      const [arg] = expr.args
      const cost = this.cost(arg)
      this.#copySizes(expr, arg)
      return plus(fixed(1), cost)
    }
    const costs = expr.args.map(arg => this.cost(arg))
    const args = expr.args.map(arg => this.#operand(arg))
    const overloads = this.#checked.overloads.get(expr) ?? []
    const global = this.#checked.names.get(expr)
    const isMember = expr.target !== undefined && global === undefined
    const called = isMember ? this.cost(expr.target as Expr) : fixed(0)
    const target = isMember ? this.#operand(expr.target as Expr) : undefined
    const name = (global ?? expr.name).replace(/^\./, '')
    let own: Range = { min: most, max: 0 }
    let size: Range | undefined
    for (const overload of overloads) {
      const estimate = this.#overload(expr, name, overload, target, args, costs)
      own = either(own, estimate.cost)
      if (estimate.size !== undefined) size = size === undefined ? estimate.size : either(size, estimate.size)
      const container = overload.parameters[0]?.kind
      const [first] = expr.args
      if (name === '_[_]' && first !== undefined && (container === 'list' || container === 'map')) {
        size = this.#entriesOf(first)?.value
        this.#paths.set(expr, [...(this.#path(first) ?? []), container === 'list' ? '@items' : '@values'])
      }
      size ??= this.#size(expr)
    }
    if (size !== undefined) this.#sizes.set(expr, size)
    return overloads.length === 0 ? fixed(0) : plus(called, own)
  }

  /** The cost of a call of one overload, with the cost of its arguments. */
  #overload(
    expr: Of<'call'>,
    name: string,
    overload: Overload,
    target: Operand | undefined,
    args: readonly Operand[],
    costs: readonly Range[],
  ): { readonly cost: Range; readonly size?: Range | undefined } {
    const [first = fixed(0), second = fixed(0), third = fixed(0)] = costs
    if (name === '_&&_' || name === '_||_') return { cost: { min: first.min, max: plus(first, second).max } }
    if (name === '_?_:_') {
      const [, yes, no] = args as [Operand, Operand, Operand]
      this.#eitherEntries(expr, yes.expr, no.expr)
      return { cost: plus(first, either(second, third)), size: either(yes.size, no.size) }
    }
    if (name === '_+_' && ['list', 'string', 'bytes'].includes(overload.parameters[0]?.name as string)) {
      this.#eitherEntries(expr, expr.args[0] as Expr, expr.args[1] as Expr)
    }
    const { cost, size } = estimateCall(name, overload, target, args)
    return { cost: plus(cost, ...costs), size }
  }

  #eitherEntries(expr: Expr, a: Expr, b: Expr): void {
    const one = this.#entriesOf(a)
    const two = this.#entriesOf(b)
    if (one === undefined || two === undefined) return
    this.#entries.set(expr, { kind: one.kind, key: either(one.key, two.key), value: either(one.value, two.value) })
  }

  #loop(expr: Expr & Comprehension): Range {
    const before = plus(this.cost(expr.range), this.cost(expr.init))
    this.#locals.push([expr.accu, this.#localOf(expr.init)])
    const kind = this.#entriesOf(expr.range)?.kind ?? this.#type(expr.range).kind
    const isList = kind === 'list'
    if (expr.variable2 === undefined) {
      this.#locals.push([expr.variable, this.#inner(expr.range, isList ? '@items' : '@keys', isList)])
    } else {
      this.#locals.push([expr.variable, this.#inner(expr.range, isList ? '@indices' : '@keys', false)])
      this.#locals.push([expr.variable2, this.#inner(expr.range, isList ? '@items' : '@values', true)])
    }
    const each = plus(this.cost(expr.condition), this.cost(expr.step))
    this.#locals.length -= expr.variable2 === undefined ? 1 : 2
    const after = this.cost(expr.result)
    this.#locals.length -= 1
    const count = this.#size(expr.range) ?? unknown
    if (expr.init.kind === 'literal') this.#copySize(expr, expr.init)
    else if (expr.init.kind === 'list' || expr.init.kind === 'map') {
      this.#sizes.set(expr, count)
      const entries = this.#entriesOf(expr.step)
      if (entries !== undefined) this.#entries.set(expr, entries)
    }
    return plus(before, after, times(count, each))
  }

  /** The cost of a loop that never runs, but gives a value a name. */
  #binding(expr: Expr & Comprehension): Range {
    const before = plus(this.cost(expr.range), this.cost(expr.init))
    this.#locals.push([expr.accu, this.#localOf(expr.init)])
    const result = this.cost(expr.result)
    this.#locals.pop()
    this.#copySizes(expr, expr.result)
    return plus(before, result)
  }

  #localOf(expr: Expr): Local {
    return { path: this.#path(expr), size: this.#size(expr), entries: this.#entriesOf(expr) }
  }

  #inner(range: Expr, step: string, isValue: boolean): Local {
    const entries = this.#entriesOf(range)
    const path = [...(this.#path(range) ?? []), step]
    return { path, size: isValue ? entries?.value : entries?.key, entries: undefined }
  }

  #operand(expr: Expr): Operand {
    const size = this.#size(expr)
    const type = this.#type(expr)
    const itemType = type.parameters[0]
    const path = this.#path(expr)
    const items =
      itemType === undefined
        ? undefined
        : ((path === undefined ? undefined : this.#schemaSize([...path, '@items'])) ?? unknown)
    return { expr, type, size: size ?? unknown, isSizeKnown: size !== undefined, items, itemType }
  }

  #copySize(to: Expr, from: Expr): void {
    const size = this.#size(from)
    if (size !== undefined) this.#sizes.set(to, size)
  }

  #copySizes(to: Expr, from: Expr): void {
    this.#copySize(to, from)
    const entries = this.#entriesOf(from)
    if (entries !== undefined) this.#entries.set(to, entries)
  }

  /** The size of a value, by its expression, its schema or its type. */
  #size(expr: Expr): Range | undefined {
    const known = this.#sizes.get(expr) ?? literalSize(expr)
    if (known !== undefined) return known
    const path = this.#path(expr)
    const declared = path === undefined ? undefined : this.#schemaSize(path)
    if (declared !== undefined) {
      this.#sizes.set(expr, declared)
      return declared
    }
    if (isScalar(this.#type(expr))) return fixed(1)
    return expr.kind === 'ident' ? this.#local(this.#nameOf(expr) as string)?.size : undefined
  }

  /** The first step of a path is the name of a variable. */
  #schemaSize(path: readonly string[]): Range | undefined {
    const sizes = path.length === 0 ? undefined : sizesAt(this.#root, path.slice(1))
    return sizes && { min: 0, max: sizes.elements }
  }

  #entriesOf(expr: Expr): EntrySizes | undefined {
    const known = this.#entries.get(expr)
    if (known !== undefined || expr.kind !== 'ident') return known
    return this.#local(this.#nameOf(expr) as string)?.entries
  }
}

function isBinding({ range, condition, accu }: Comprehension): boolean {
  const isEmpty = range.kind === 'list' && range.elements.length === 0
  return isEmpty && condition.kind === 'literal' && condition.value === false && accu !== '__result__'
}

function literalSize(expr: Expr): Range | undefined {
  if (expr.kind === 'list') return fixed(expr.elements.length)
  if (expr.kind === 'map') return fixed(expr.entries.length)
  if (expr.kind !== 'literal') return undefined
  if (typeof expr.value === 'string') return fixed([...expr.value].length)
  return fixed(expr.value instanceof Uint8Array ? expr.value.length : 1)
}

const scalars = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint'])

function isScalar({ kind, name, parameters }: Type): boolean {
  if (kind === 'opaque' && name === 'optional_type') return isScalar(parameters[0] as Type)
  return kind === 'simple' && scalars.has(name)
}
