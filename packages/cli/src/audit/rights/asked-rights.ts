import { type AskedRight, askedRight, parseRequestPath, UsedRights, verbOf } from '@wherry/apiserver/internal'
import type { SeenRight } from '../../rbac/recorded.ts'

/** The parts of a request that decide which rights it needs. */
export interface RightsHead {
  readonly method: string
  /** The path with its query. */
  readonly path: string
  readonly isUpgrade: boolean
}

const asked = { name: 'asked', groups: [] }
const refused = { name: 'refused', groups: [] }
/** Subresources of pods that need the verb `create` for every HTTP method. */
const connections = ['exec', 'attach', 'portforward']

/** The rights that a program needs for its requests. */
export class AskedRights {
  readonly #rights = new UsedRights()

  /** Records the rights of a request. */
  note(rights: readonly AskedRight[]): void {
    for (const right of rights) this.#rights.note({ ...right, user: asked })
  }

  /** Records the answer to a request. A write that created an object needs the right to create it. */
  answered(rights: readonly AskedRight[], status: number): void {
    for (const right of rights) {
      if (status === 403) this.#rights.note({ ...right, user: refused })
      const makes = status === 201 && (right.verb === 'patch' || right.verb === 'update')
      if (makes) this.#rights.note({ ...right, verb: 'create', user: asked })
    }
  }

  /** All rights. The field `test` is the verb for a refused right, and empty for other rights. */
  all(): readonly SeenRight[] {
    return [
      ...this.#rights.of(asked.name).map(right => ({ ...right, test: '' })),
      ...this.#rights.of(refused.name).map(right => ({ ...right, test: right.verb })),
    ]
  }
}

/** The rights that a request needs: none if nothing can be made of its path. */
export function rightsOf({ method, path, isUpgrade }: RightsHead): readonly AskedRight[] {
  const info = parseRequestPath(path)
  if (info === undefined || !info.path.startsWith('/')) return []
  const sent = method === 'HEAD' ? 'GET' : method
  const { target } = info
  const right = askedRight(info, target === undefined ? sent.toLowerCase() : verbOf(sent, target, info.query))
  const connects = isUpgrade && right.group === '' && right.resource === 'pods'
  if (!connects || right.verb === 'create' || !connections.includes(right.subresource)) return [right]
  return [right, { ...right, verb: 'create' }]
}
