import type { StatusCause } from '../status.ts'

/** The maximum estimated costs: of an expression, and of all expressions of a schema. */
const mostPerExpression = 10_000_000
const mostPerSchema = 100_000_000
const mostReported = 4

const hint =
  'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared'

/** The refusal of a cost at `field`; `undefined` if the cost is within the limit. */
export function overBudget(
  what: string,
  cost: number,
  field: string,
  limit: number = mostPerExpression,
): StatusCause | undefined {
  if (cost <= limit) return undefined
  const factor = cost / limit
  // A factor of 1.0 would be misleading, and the exact factor beyond a hundred is of no use.
  const shown = factor > 100 ? 'more than 100' : factor < 1.5 ? factor.toFixed(6) : factor.toFixed(1)
  return forbidden(field, `${what} exceeds budget by factor of ${shown}x (${hint})`)
}

function forbidden(field: string, why: string): StatusCause {
  return { reason: 'FieldValueForbidden', message: `Forbidden: ${why}`, field }
}

/** Sums up the costs of a schema's expressions. */
export class CostTotal {
  #sum = 0
  #largest: { readonly field: string; readonly cost: number }[] = []

  add(field: string, given: number): void {
    // A real server does not count further: all larger costs are equal.
    const cost = Math.min(given, 2 ** 64)
    this.#sum += cost
    if (cost < mostPerSchema / 100) return
    this.#largest.push({ field, cost })
    this.#largest = this.#largest.sort((a, b) => b.cost - a.cost).slice(0, mostReported)
  }

  /** The refusals of the schema at `path`. */
  problems(path: string): StatusCause[] {
    const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema'
    const problem = overBudget(what, this.#sum, path, mostPerSchema)
    if (problem === undefined) return []
    const why = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'
    return [...this.#largest.map(({ field }) => forbidden(field, why)), problem]
  }
}
