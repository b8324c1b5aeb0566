import {
  type AskedRight,
  askedRight,
  parseRequestPath,
  readImpersonation,
  UsedRights,
  verbOf,
} from '@wherry/apiserver/internal/requests'
import type { SeenRight } from '../../rbac/recorded.ts'

/** The parts of a request that decide which rights it needs. */
export interface RightsHead {
  readonly method: string
  /** The path with its query. */
  readonly path: string
  readonly isUpgrade: boolean
  /** The `Impersonate-*` headers of a request that acts as another user, by their names in lower case. */
  readonly impersonation: Readonly<Record<string, string>>
}

const program = { name: 'program', groups: [] }
/** Subresources of pods that need the verb `create` for every HTTP method. */
const connections = ['exec', 'attach', 'portforward']

/** The rights that a program needs for its requests. */
export class AskedRights {
  readonly #asked = new UsedRights()
  readonly #refused = new UsedRights()

  /** Records the rights of a request. */
  note(rights: readonly AskedRight[]): void {
    for (const right of rights) this.#asked.note({ ...right, user: program })
  }

  /** Records the answer to a request. A write that created an object needs the right to create it. */
  answered(rights: readonly AskedRight[], status: number): void {
    for (const right of rights) {
      // A request as another user may be refused because of the other user's rights.
      if (status === 403 && right.verb !== 'impersonate') this.#refused.note({ ...right, user: program })
      const makes = status === 201 && (right.verb === 'patch' || right.verb === 'update')
      if (makes) this.#asked.note({ ...right, verb: 'create', user: program })
    }
  }

  /** All rights. A refused right appears a second time, with its refusal as the reason. */
  all(): readonly SeenRight[] {
    return [
      ...this.#asked.of(program.name).map(right => ({ ...right, by: '' })),
      ...this.#refused.of(program.name).map(right => ({ ...right, by: `refused with 403: ${right.verb}` })),
    ]
  }
}

/**
 * The rights that the sender of a request needs: none if its path can't be parsed. A sender that acts as another user needs only the right to do that; the
 * other user needs the rights of the request.
 */
export function rightsOf({ method, path, isUpgrade, impersonation }: RightsHead): readonly AskedRight[] {
  const info = parseRequestPath(path)
  if (info === undefined || !info.path.startsWith('/')) return []
  const acting = rightsToActAs(impersonation, path)
  if (acting !== undefined) return acting
  const sent = method === 'HEAD' ? 'GET' : method
  const { target } = info
  const right = askedRight(info, target === undefined ? sent.toLowerCase() : verbOf(sent, target, info.query))
  const connects = isUpgrade && right.group === '' && right.resource === 'pods'
  if (!connects || right.verb === 'create' || !connections.includes(right.subresource)) return [right]
  return [right, { ...right, verb: 'create' }]
}

/** The rights to act as another user: none if the server refuses these headers, and `undefined` if no header names a user. */
function rightsToActAs(headers: RightsHead['impersonation'], path: string): readonly AskedRight[] | undefined {
  try {
    return readImpersonation(program, { headers, path })?.checks.map(({ user: _, ...right }) => right)
  } catch {
    return []
  }
}
