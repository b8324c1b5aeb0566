import type { Literal } from './values.ts'

/** A parsed expression, with its macros expanded. `at`: its place in the server's messages, an offset into the text. */
export type Expr = { readonly at: number } & (
  | { readonly kind: 'literal'; readonly value: Literal }
  | { readonly kind: 'ident'; readonly name: string }
  | { readonly kind: 'select'; readonly operand: Expr; readonly field: string; readonly test: boolean }
  | { readonly kind: 'call'; readonly name: string; readonly target: Expr | undefined; readonly args: readonly Expr[] }
  | { readonly kind: 'list'; readonly elements: readonly Expr[]; readonly optional: ReadonlySet<number> }
  | { readonly kind: 'map'; readonly entries: readonly Entry[] }
  | { readonly kind: 'struct'; readonly name: string; readonly fields: readonly StructField[] }
  | Comprehension
)

/** A loop over `range` with the carried value `accu`, such as `[1, 2].all(…)`. */
export interface Comprehension {
  readonly kind: 'comprehension'
  readonly range: Expr
  readonly variable: string
  /** The second variable: a list's item or a map's value. With a second variable, the first is the index or the key. */
  readonly variable2: string | undefined
  readonly accu: string
  readonly init: Expr
  readonly condition: Expr
  readonly step: Expr
  readonly result: Expr
}

/** A field of a message literal: `Object{spec: …}`. */
export interface StructField {
  readonly at: number
  readonly name: string
  readonly value: Expr
  readonly optional: boolean
}

/** An entry of a map literal. */
export interface Entry {
  readonly key: Expr
  readonly value: Expr
  readonly optional: boolean
}

/** The direct parts of an expression. */
export function below(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'select':
      return [expr.operand]
    case 'call':
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args]
    case 'list':
      return expr.elements
    case 'map':
      return expr.entries.flatMap(({ key, value }) => [key, value])
    case 'struct':
      return expr.fields.map(({ value }) => value)
    case 'comprehension':
      return [expr.range, expr.init, expr.condition, expr.step, expr.result]
    default:
      return []
  }
}
