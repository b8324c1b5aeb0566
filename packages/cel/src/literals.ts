import { below, type Expr } from './ast.ts'
import type { Checked } from './checker.ts'
import { formatIssues } from './format-issues.ts'
import { compileRegex } from './functions/regex.ts'
import { durationNanos, timestampNanos } from './functions/time-text.ts'
import type { Issue } from './issues.ts'
import { dyn, printType, sameType, type Type, unwrapOptional } from './types.ts'

/** The issues of literals that can be found without an evaluation: bad times, bad patterns, mixed lists and maps. */
export function literalIssues(expr: Expr, checked: Checked): Issue[] {
  const issues: Issue[] = []
  const nodes: Expr[] = []
  const exempt = new Set<Expr>()
  const visit = (node: Expr, inFormat: boolean): void => {
    nodes.push(node)
    const formats = node.kind === 'call' && node.name === 'format'
    if (inFormat) exempt.add(node)
    for (const child of below(node)) visit(child, inFormat || formats)
  }
  visit(expr, false)
  const invalid = (name: string, argument: number, isValid: (text: string) => boolean): void => {
    for (const node of nodes) {
      if (node.kind !== 'call' || node.name !== name) continue
      const literal = node.args[argument]
      if (literal?.kind === 'literal' && typeof literal.value === 'string' && !isValid(literal.value)) {
        issues.push({ at: literal.at, message: `invalid ${name} argument` })
      }
    }
  }
  invalid('duration', 0, text => durationNanos(text) !== undefined)
  invalid('timestamp', 0, text => timestampNanos(text) !== undefined)
  invalid('matches', 0, isPattern)
  for (const node of nodes) issues.push(...formatIssues(node, checked))
  for (const node of nodes) if (!exempt.has(node)) issues.push(...mixed(node, checked))
  return issues
}

function isPattern(text: string): boolean {
  try {
    compileRegex(text)
    return true
  } catch {
    return false
  }
}

/** The issues of list and map literals with values of several types. */
function mixed(node: Expr, { types }: Checked): Issue[] {
  const typeOf = (expr: Expr, optional: boolean): Type => {
    const type = types.get(expr) ?? dyn
    return optional ? unwrapOptional(type).type : type
  }
  if (node.kind === 'list')
    return firstOther(
      node.elements.map((item, i) => ({ at: item.at, type: typeOf(item, node.optional.has(i)) })),
      true,
    )
  if (node.kind !== 'map') return []
  const keys = node.entries.map(({ key }) => ({ at: key.at, type: typeOf(key, false) }))
  const values = node.entries.map(({ value, optional }) => ({ at: value.at, type: typeOf(value, optional) }))
  return [...firstOther(keys, false), ...firstOther(values, false)]
}

function firstOther(items: readonly { readonly at: number; readonly type: Type }[], once: boolean): Issue[] {
  const [first, ...rest] = items
  if (first === undefined) return []
  const others = rest
    .filter(({ type }) => !sameType(first.type, type))
    .map(({ at, type }) => ({ at, message: `expected type '${printType(first.type)}' but found '${printType(type)}'` }))
  return once ? others.slice(0, 1) : others
}
