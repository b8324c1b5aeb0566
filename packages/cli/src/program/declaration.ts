/** A right that an operator needs for what it declares. */
export interface DeclaredRight {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly namespace?: string | undefined
  readonly name?: string | undefined
  /** The declaration that needs it: `controller game: for`. */
  readonly by: string
}

/** What a health server serves, and where. */
export interface DeclaredHealth {
  readonly host: string
  readonly port: number
  readonly tls: boolean
  readonly metrics: boolean
  readonly tokenReview: boolean
}

/** What an operator of `@wherry/controller` publishes at the channel `wherry.operator.run`, as JSON. */
export interface OperatorDeclaration {
  readonly name: string
  readonly leader: boolean
  readonly health?: DeclaredHealth | undefined
  /** The namespaces of the primary objects. Not there for the whole cluster. */
  readonly namespaces?: readonly string[] | undefined
  readonly rights: readonly DeclaredRight[]
}

/** Whether JSON is a declaration of the form that this package knows. The program may have a controller package of another version. */
export function isDeclaration(value: unknown): value is OperatorDeclaration {
  const { name, leader, namespaces = [], rights, health } = (value ?? {}) as Partial<Record<string, unknown>>
  if (typeof name !== 'string' || typeof leader !== 'boolean' || !areTexts(namespaces)) return false
  if (health !== undefined && typeof (health as DeclaredHealth).port !== 'number') return false
  return Array.isArray(rights) && rights.every(({ verb, group, resource, by }) => areTexts([verb, group, resource, by]))
}

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(one => typeof one === 'string')
}
