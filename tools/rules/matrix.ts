/** Which rules a package claims, and how many of its tests name which. */
export interface Claimant {
  readonly name: string
  readonly claims: readonly string[]
  readonly named: ReadonlyMap<string, number>
}

export interface Question {
  /** Ids and letters (`R20`, `X`); none asks for all that is claimed. */
  readonly ids: readonly string[]
  /** Looks at this package's claims alone. */
  readonly package?: string | undefined
}

export interface Answer {
  /** How many tests name each rule asked for, in the packages that claim it and in the shared tests. */
  readonly named: Readonly<Record<string, number>>
  /** The rules asked for that no package claims, or that one claims without a test. */
  readonly missing: readonly string[]
  /** Why, a line for each. */
  readonly reasons: readonly string[]
}

/** The problem of the question or the claims themselves. */
export class RulesError extends Error {}

/**
 * Holds the claims against the test titles. Tests outside the packages (`shared`) count for every package that claims
 * the rule. A letter asks for all rules of that letter, or, with `package`, for those of them that it claims.
 */
export function judge(
  known: readonly string[],
  claimants: readonly Claimant[],
  shared: ReadonlyMap<string, number>,
  question: Question,
): Answer {
  checkKnown(known, claimants, shared)
  const asked = claimants.filter(one => question.package === undefined || one.name === question.package)
  if (asked.length === 0) throw new RulesError(`no package is called ${question.package}`)
  const named: Record<string, number> = {}
  const missing: string[] = []
  const reasons: string[] = []
  for (const id of expand(known, asked, question)) {
    const claiming = asked.filter(one => one.claims.includes(id))
    const bare = claiming.filter(one => !one.named.get(id) && !shared.get(id))
    named[id] = claiming.reduce((sum, one) => sum + (one.named.get(id) ?? 0), shared.get(id) ?? 0)
    if (claiming.length === 0) reasons.push(`${id} is claimed by no package`)
    for (const one of bare) reasons.push(`${id} is claimed by ${one.name}, and no test there names it`)
    if (claiming.length === 0 || bare.length > 0) missing.push(id)
  }
  return { named, missing, reasons }
}

function checkKnown(
  known: readonly string[],
  claimants: readonly Claimant[],
  shared: ReadonlyMap<string, number>,
): void {
  const unknown = (ids: Iterable<string>): string[] => [...ids].filter(id => !known.includes(id))
  for (const { name, claims, named } of claimants) {
    const claimed = unknown(claims)
    if (claimed.length > 0) throw new RulesError(`${name} claims ${claimed.join(', ')}: no such rule`)
    const titled = unknown(named.keys())
    if (titled.length > 0) throw new RulesError(`tests of ${name} name ${titled.join(', ')}: no such rule`)
  }
  const titled = unknown(shared.keys())
  if (titled.length > 0) throw new RulesError(`tests name ${titled.join(', ')}: no such rule`)
}

function expand(known: readonly string[], asked: readonly Claimant[], { ids, package: only }: Question): string[] {
  const isClaimed = (id: string): boolean => asked.some(one => one.claims.includes(id))
  if (ids.length === 0) return known.filter(isClaimed)
  const wanted = ids.flatMap(id => {
    const found = /^[A-Z]$/.test(id) ? known.filter(one => one.startsWith(id)) : known.filter(one => one === id)
    if (found.length === 0) throw new RulesError(`there is no rule ${id} in docs/guarantees`)
    return /^[A-Z]$/.test(id) && only !== undefined ? found.filter(isClaimed) : found
  })
  return known.filter(id => wanted.includes(id))
}

/** The matrix of packages and rules as lines of text. */
export function matrixLines(
  claimants: readonly Claimant[],
  shared: ReadonlyMap<string, number>,
  ids: readonly string[],
): string[] {
  const rows = [...claimants, { name: '(test)', claims: [], named: shared }]
  const width = Math.max(...rows.map(row => row.name.length))
  const cell = (row: Claimant, id: string): string => {
    const count = row.named.get(id)
    if (count) return String(count)
    return row.claims.includes(id) ? (shared.get(id) ? '+' : '✗') : '·'
  }
  const line = (name: string, cells: readonly string[]): string =>
    `${name.padEnd(width)}  ${cells.map((text, index) => text.padStart((ids[index] ?? '').length)).join(' ')}`
  return [
    line('', ids),
    ...rows.map(row =>
      line(
        row.name,
        ids.map(id => cell(row, id)),
      ),
    ),
  ]
}
