/** A right that an operator needs for a declaration. */
export interface DeclaredRight {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly namespace?: string | undefined
  readonly name?: string | undefined
  /** The declaration that needs the right: `controller game: for`. */
  readonly by: string
  /** Whether the right is granted for its name only, regardless of other rights to the resource. */
  readonly exact?: boolean | undefined
}

/** The port and the paths of a health server. */
export interface DeclaredHealth {
  readonly host: string
  readonly port: number
  readonly tls: boolean
  readonly metrics: boolean
  readonly tokenReview: boolean
}

/** The declaration that an operator of `@wherry/controller` publishes on the channel `wherry.operator.run`, as JSON. */
export interface OperatorDeclaration {
  readonly name: string
  readonly leader: boolean
  /** How many processes share the objects by their uids, each with a number. Missing if they don't. */
  readonly processes?: number | undefined
  readonly health?: DeclaredHealth | undefined
  /** The namespaces of the primary objects. Missing for the whole cluster. */
  readonly namespaces?: readonly string[] | undefined
  readonly rights: readonly DeclaredRight[]
  /** The names of the controllers. Missing in an older controller package. */
  readonly controllers?: readonly string[] | undefined
  readonly components?: readonly DeclaredComponent[] | undefined
}

/** A component that runs along with the controllers, such as webhooks. */
export interface DeclaredComponent {
  readonly name: string
  /** The details of the component, in a form of its own. */
  readonly details?: unknown
}

/** Whether JSON is a declaration in the form of this version. The program may have a controller package of another version. */
export function isDeclaration(value: unknown): value is OperatorDeclaration {
  const {
    name,
    leader,
    processes = 1,
    namespaces = [],
    rights,
    health,
    controllers = [],
    components = [],
  } = (value ?? {}) as Partial<Record<string, unknown>>
  if (typeof name !== 'string' || typeof leader !== 'boolean' || typeof processes !== 'number') return false
  if (!areTexts(namespaces) || !areTexts(controllers)) return false
  if (!Array.isArray(components) || !areTexts(components.map(one => one?.name))) return false
  if (health !== undefined && typeof (health as DeclaredHealth).port !== 'number') return false
  return Array.isArray(rights) && rights.every(({ verb, group, resource, by }) => areTexts([verb, group, resource, by]))
}

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(one => typeof one === 'string')
}
