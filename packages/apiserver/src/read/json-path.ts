import { isObject, isRawNumber, type Json, own } from '@wherry/cel/internal'

/** One step of a path: it maps the values found so far to the next values. Throws if a real server would stop. */
type Step = (values: readonly Json[]) => Json[]

/** A comparison of two values of one type. */
type Comparison = (left: Scalar, right: Scalar) => boolean
type Scalar = string | number | boolean

const comparisons: Readonly<Record<string, Comparison>> = {
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '<': (left, right) => left < right,
  '>': (left, right) => left > right,
  '<=': (left, right) => left <= right,
  '>=': (left, right) => left >= right,
}

/** Thrown if a path can't be read, or can't be followed in a value. */
class PathError extends Error {}

/**
 * Reads a JSONPath of a printer column: fields, items, slices, wildcards, filters, descents. The returned function returns the first value at the path, or
 * `undefined` if there is none, or if a real server would not find it. Returns `undefined` if the text is no JSONPath.
 *
 * See https://kubernetes.io/docs/reference/kubectl/jsonpath/
 */
export function jsonPath(text: string): ((value: Json) => Json | undefined) | undefined {
  let steps: readonly Step[]
  try {
    steps = new PathReader(text).steps()
  } catch (error) {
    if (error instanceof PathError) return undefined
    throw error
  }
  return value => {
    try {
      return steps.reduce<readonly Json[]>((values, step) => step(values), [value])[0]
    } catch (error) {
      if (error instanceof PathError) return undefined
      throw error
    }
  }
}

/** Reads a path from left to right. */
class PathReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  steps(): Step[] {
    const steps: Step[] = []
    while (this.#at < this.#text.length) {
      const step = this.#step()
      if (step !== undefined) steps.push(step)
    }
    return steps
  }

  #step(): Step | undefined {
    const start = this.#at
    const rest = this.#text.slice(start)
    if (rest.startsWith('[?(')) return this.#filter()
    if (rest.startsWith('..')) {
      this.#at += 2
      return descend
    }
    const first = rest[0] as string
    if (first === ' ' || first === '@' || first === '$') {
      this.#at++
      return undefined
    }
    if (first === '[') return this.#brackets()
    if (first === '.') {
      this.#at++
      return field(this.#name())
    }
    if (!/\w/.test(first)) throw new PathError()
    const step = field(this.#name())
    // A bare name is a field only after a descent.
    return this.#text.slice(0, start).endsWith('..') ? step : fail
  }

  /** Reads the name of a field, up to the character that ends it, and unescapes its characters. */
  #name(): string {
    const [whole] = /^(?:\\.|[^\s.,[\]$@{}\\])*/.exec(this.#text.slice(this.#at)) as RegExpExecArray
    this.#at += whole.length
    return whole.replaceAll('\\', '')
  }

  #brackets(): Step {
    const end = this.#text.indexOf(']', this.#at)
    if (end === -1) throw new PathError()
    const inner = this.#text.slice(this.#at + 1, end)
    this.#at = end + 1
    const parts = inner.split(',').map(part => part.trim())
    const steps = parts.map(bracketStep)
    return values => steps.flatMap(step => step(values))
  }

  /** Reads a filter such as `[?(@.type=="Ready")]`. A parenthesis in quotes does not end the filter. */
  #filter(): Step {
    const match = /^\[\?\(((?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^"')])*)\)\]/.exec(this.#text.slice(this.#at))
    if (match === null) throw new PathError()
    this.#at += match[0].length
    const condition = match[1] as string
    const compared = /^([^!<>=]+)([!<>=]+)(.+)$/s.exec(condition)
    if (compared === null) {
      const steps = new PathReader(condition).steps()
      return values => items(values).filter(item => follow(steps, item).length > 0)
    }
    const [left, right] = [operand(compared[1] as string), operand(compared[3] as string)]
    const compare = comparisons[compared[2] as string]
    return values =>
      items(values).filter(item => {
        const [one, other] = [left(item), right(item)]
        if (one === undefined || other === undefined) return false
        if (compare === undefined || kindOf(one) !== kindOf(other)) throw new PathError()
        return compare(one, other)
      })
  }
}

const fail: Step = () => {
  throw new PathError()
}

function follow(steps: readonly Step[], value: Json): readonly Json[] {
  return steps.reduce<readonly Json[]>((values, step) => step(values), [value])
}

/** An operand of a comparison: a text, a number, true or false, or the value at a path within the item. */
function operand(text: string): (item: Json) => Scalar | undefined {
  const trimmed = text.trim()
  const quoted = /^(["'])(.*)\1$/s.exec(trimmed)
  if (quoted !== null) {
    const literal = (quoted[2] as string).replaceAll(/\\(.)/gs, '$1')
    return () => literal
  }
  if (trimmed === 'true' || trimmed === 'false') return () => trimmed === 'true'
  if (/^[+-]?\d+(\.\d+)?$/.test(trimmed)) return () => Number(trimmed)
  const steps = new PathReader(trimmed).steps()
  return item => {
    const [value, ...more] = follow(steps, item)
    if (value === undefined) return undefined
    if (more.length > 0 || value === null || isObject(value) || Array.isArray(value)) throw new PathError()
    return isRawNumber(value) ? Number(value.rawJSON) : (value as Scalar)
  }
}

/** The kind of a value in comparisons. Integers and other numbers are not comparable. */
function kindOf(value: Scalar): string {
  return typeof value === 'number' ? (Number.isInteger(value) ? 'integer' : 'float') : typeof value
}

/** The items of all lists among the values. */
function items(values: readonly Json[]): Json[] {
  return values.flatMap(value => {
    if (!Array.isArray(value)) throw new PathError()
    return value as Json[]
  })
}

function field(name: string): Step {
  if (name === '*') return values => values.flatMap(children)
  return values =>
    values.flatMap(value => {
      const found = isObject(value) ? own(value, name) : undefined
      return found === undefined ? [] : [found]
    })
}

function children(value: Json): Json[] {
  if (Array.isArray(value)) return value as Json[]
  return isObject(value) ? Object.keys(value).map(name => value[name] as Json) : []
}

/** Returns the values and all values in them, at any depth. */
const descend: Step = values =>
  values.flatMap(value => {
    const below = children(value)
    return below.length === 0 ? [] : [value, ...descend(below)]
  })

function bracketStep(text: string): Step {
  const quoted = /^'([^']*)'$/.exec(text)
  if (quoted !== null) return field((quoted[1] as string).replaceAll('\\', ''))
  const match = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(text === '*' ? ':' : text)
  if (match === null) throw new PathError()
  const [from, to, step] = match.slice(1).map(part => (part ?? '').replace(':', ''))
  const single = match[2] === undefined
  return values =>
    values.flatMap(value => {
      if (value === null) return []
      if (!Array.isArray(value)) throw new PathError()
      return slice(value as Json[], numberOf(from), single ? 'single' : numberOf(to), numberOf(step))
    })
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined || text === '' || text === '-' ? undefined : Number(text)
}

function slice(list: Json[], from = 0, to: number | 'single' | undefined, step = 1): Json[] {
  const { length } = list
  const start = from < 0 ? from + length : from
  const last = to === 'single' ? start + 1 : to === undefined ? length : to < 0 ? to + length : to
  if (start === last) return []
  if (start < 0 || start >= length || last > length || start > last || step <= 0) throw new PathError()
  return list.slice(start, last).filter((_, i) => i % step === 0)
}
