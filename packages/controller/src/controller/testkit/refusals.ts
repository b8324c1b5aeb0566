import type { FaultRule } from '@wherry/testing'

/** Who may read ConfigMaps, and not update them; with another code, a server that fails to. */
export function refuseUpdates(code = 403): FaultRule {
  const reason = code === 403 ? 'Forbidden' : 'InternalError'
  return { match: { verb: 'update', resource: 'configmaps' }, effect: { kind: 'status', code, reason } }
}

/** Who may read ConfigMaps, and not create them. */
export function refuseCreates(message?: string): FaultRule {
  return {
    match: { verb: 'create', resource: 'configmaps' },
    effect: { kind: 'status', code: 403, reason: 'Forbidden', ...(message !== undefined && { message }) },
  }
}

/** Who may write a game, and not its status. */
export const refuseStatus: FaultRule = {
  match: { resource: 'games.arcade.example.com', subresource: 'status' },
  effect: { kind: 'status', code: 403, reason: 'Forbidden' },
}
