import type { Expr } from './ast.ts'
import { SyntaxIssue } from './issues.ts'
import { own } from './json/json.ts'
import type { Literal } from './values.ts'

/** The variable for the carried value of a comprehension. No expression can contain this name. */
const accu = '@result'

/** Builds expressions at the place of a macro's call. */
class Builder {
  readonly at: number

  constructor(at: number) {
    this.at = at
  }

  literal(value: Literal): Expr {
    return { at: this.at, kind: 'literal', value }
  }

  get accu(): Expr {
    return { at: this.at, kind: 'ident', name: accu }
  }

  call(name: string, ...args: Expr[]): Expr {
    return { at: this.at, kind: 'call', name, target: undefined, args }
  }

  member(name: string, target: Expr): Expr {
    return { at: this.at, kind: 'call', name, target, args: [] }
  }

  list(...elements: Expr[]): Expr {
    return { at: this.at, kind: 'list', elements, optional: new Set() }
  }

  loop(
    range: Expr,
    [variable, variable2]: readonly string[],
    parts: Record<'init' | 'condition' | 'step' | 'result', Expr>,
  ): Expr {
    const { at } = this
    return { at, kind: 'comprehension', range, variable: variable as string, variable2, accu, ...parts }
  }
}

type Make = (build: Builder, range: Expr, variables: readonly string[], args: readonly Expr[]) => Expr

const quantifiers: Readonly<Record<string, Make>> = {
  all: (build, range, variables, [predicate]) =>
    build.loop(range, variables, {
      init: build.literal(true),
      condition: build.call('@not_strictly_false', build.accu),
      step: build.call('_&&_', build.accu, predicate as Expr),
      result: build.accu,
    }),
  exists: (build, range, variables, [predicate]) =>
    build.loop(range, variables, {
      init: build.literal(false),
      condition: build.call('@not_strictly_false', build.call('!_', build.accu)),
      step: build.call('_||_', build.accu, predicate as Expr),
      result: build.accu,
    }),
  existsOne: (build, range, variables, [predicate]) =>
    build.loop(range, variables, {
      init: build.literal(0n),
      condition: build.literal(true),
      step: build.call('_?_:_', predicate as Expr, build.call('_+_', build.accu, build.literal(1n)), build.accu),
      result: build.call('_==_', build.accu, build.literal(1n)),
    }),
}

/** Adds to the carried value for each item that passes the filter, if there is a filter. */
function collect(
  build: Builder,
  range: Expr,
  variables: readonly string[],
  add: Expr,
  filter: Expr | undefined,
  init: Expr,
): Expr {
  return build.loop(range, variables, {
    init,
    condition: build.literal(true),
    step: filter === undefined ? add : build.call('_?_:_', filter, add, build.accu),
    result: build.accu,
  })
}

/** Builds a list macro with the arguments `[filter,] transform`. */
const listOf: Make = (build, range, variables, args) => {
  const add = build.call('_+_', build.accu, build.list(args.at(-1) as Expr))
  return collect(build, range, variables, add, args.length > 1 ? args[0] : undefined, build.list())
}

const mapOf =
  (insert: (build: Builder, key: Expr, value: Expr) => Expr): Make =>
  (build, range, variables, args) => {
    const key: Expr = { at: build.at, kind: 'ident', name: variables[0] as string }
    const add = insert(build, key, args.at(-1) as Expr)
    const empty: Expr = { at: build.at, kind: 'map', entries: [] }
    return collect(build, range, variables, add, args.length > 1 ? args[0] : undefined, empty)
  }

/** The expression that replaces a macro's call; `undefined` if the call is no macro. */
export function expandMacro(
  at: number,
  name: string,
  target: Expr | undefined,
  args: readonly Expr[],
): Expr | undefined {
  const build = new Builder(at)
  if (target === undefined) return name === 'has' && args.length === 1 ? has(build, args[0] as Expr) : undefined
  const count = args.length
  const quantifier = own(quantifiers, name === 'exists_one' ? 'existsOne' : name)
  const simple = 'argument must be a simple name'
  const identifier = 'argument is not an identifier'
  if (quantifier !== undefined && count === 2 && name !== 'existsOne')
    return quantifier(build, target, variablesOf(args, 1, simple), args.slice(1))
  if (quantifier !== undefined && count === 3 && name !== 'exists_one') {
    return quantifier(build, target, variablesOf(args, 2, 'argument must be an identifier'), args.slice(2))
  }
  if (name === 'map' && (count === 2 || count === 3)) {
    return listOf(build, target, variablesOf(args, 1, identifier), args.slice(1))
  }
  if (name === 'sortBy' && count === 2) {
    return sortBy(build, target, variablesOf(args, 1, identifier), args.slice(1))
  }
  if (name === 'filter' && count === 2) {
    const variables = variablesOf(args, 1, identifier)
    const item: Expr = { ...(args[0] as Expr) }
    return listOf(build, target, variables, [args[1] as Expr, item])
  }
  if (count === 3 || count === 4) {
    const make = {
      transformList: listOf,
      transformMap: mapOf((b, key, value) => b.call('cel.@mapInsert', b.accu, key, value)),
      transformMapEntry: mapOf((b, _, value) => b.call('cel.@mapInsert', b.accu, value)),
    }[name]
    if (make !== undefined)
      return make(build, target, variablesOf(args, 2, 'argument must be an identifier'), args.slice(2))
  }
  if (count === 2 && (name === 'optMap' || name === 'optFlatMap')) return optional(build, name, target, args)
  return undefined
}

/** Gives the list a name, so that it is evaluated once. */
function sortBy(build: Builder, target: Expr, variables: readonly string[], args: readonly Expr[]): Expr {
  const { at } = build
  const name = '@__sortBy_input__'
  const input = (): Expr => ({ at, kind: 'ident', name })
  const keys = listOf(build, input(), variables, args)
  const sorted: Expr = { at, kind: 'call', name: '@sortByAssociatedKeys', target: input(), args: [keys] }
  return bind(build, name, target, sorted)
}

/** An expression with a name for a value: a loop that never runs. */
function bind(build: Builder, name: string, init: Expr, result: Expr): Expr {
  const { at } = build
  const step: Expr = { at, kind: 'ident', name }
  return {
    at,
    kind: 'comprehension',
    range: build.list(),
    variable: '#unused',
    variable2: undefined,
    accu: name,
    init,
    condition: build.literal(false),
    step,
    result,
  }
}

function has(build: Builder, arg: Expr): Expr {
  if (arg.kind !== 'select') throw new SyntaxIssue(arg.at, 'invalid argument to has() macro')
  return { ...arg, at: build.at, test: true }
}

function optional(build: Builder, name: string, target: Expr, [variable, transform]: readonly Expr[]): Expr {
  if (variable?.kind !== 'ident') {
    throw new SyntaxIssue(variable?.at ?? build.at, `${name}() variable name must be a simple identifier`)
  }
  const inner = bind(build, variable.name, build.member('value', target), transform as Expr)
  const made = name === 'optMap' ? build.call('optional.of', inner) : inner
  return build.call('_?_:_', build.member('hasValue', target), made, build.call('optional.none'))
}

function variablesOf(args: readonly Expr[], count: 1 | 2, why: string): string[] {
  const names = args.slice(0, count).map(arg => {
    if (arg.kind === 'ident' && !arg.name.startsWith('.')) return arg.name
    throw new SyntaxIssue(arg.at, why)
  })
  if (names.length === 2 && names[0] === names[1]) {
    throw new SyntaxIssue((args[1] as Expr).at, `duplicate variable name: ${names[0]}`)
  }
  if (names.includes('__result__'))
    throw new SyntaxIssue((args[0] as Expr).at, 'iteration variable overwrites accumulator variable')
  return names
}
