import type { AdmissionRequest } from '../handler/request.ts'

/** A request as the API server sends one, for an object of {@link games}. */
export function requestOf(changes: Partial<AdmissionRequest> = {}): AdmissionRequest {
  return {
    uid: 'a-request',
    resource: { group: 'arcade.example.com', version: 'v1', resource: 'games' },
    name: 'chess',
    namespace: 'default',
    operation: 'CREATE',
    userInfo: { username: 'jane', groups: ['players'] },
    object: gameOf(),
    oldObject: null,
    dryRun: false,
    options: { fieldManager: 'kubectl' },
    ...changes,
  }
}

/** A game as it is submitted, of two players. */
export function gameOf(spec: object = { players: 2 }, rest: object = {}): object {
  return {
    apiVersion: 'arcade.example.com/v1',
    kind: 'Game',
    metadata: { name: 'chess', namespace: 'default' },
    spec,
    ...rest,
  }
}
