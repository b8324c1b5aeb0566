import { type RealApiServer, startApiServer, startRealApiServer } from '@wherry/testing'
import type { Controls } from './run-scenario.ts'
import { Target } from './target.ts'

/** The two servers that are compared. */
export interface Servers {
  readonly real: Target
  readonly embedded: Target
  readonly controls: { readonly real: Controls; readonly embedded: Controls }
  close(): Promise<void>
}

/** Starts both with the same features: controllers, RBAC, shards; namespaces are empty. Builds the real one in CI when it is not there. */
export async function startServers(): Promise<Servers> {
  const real: RealApiServer = await startRealApiServer({
    controllers: true,
    clusterObjects: false,
    enforceOwnerRights: true,
    featureGates: { ShardedListAndWatch: true },
    build: process.env.CI === 'true',
  })
  const embedded = await startApiServer({
    ...{ authorization: 'RBAC', shards: true, enforceOwnerRights: true },
    clusterObjects: false,
  })
  const targets = { real: new Target('real', real), embedded: new Target('embedded', embedded) }
  return {
    ...targets,
    controls: { real, embedded },
    async close() {
      targets.real.close()
      targets.embedded.close()
      await Promise.all([real.close(), embedded.close()])
    },
  }
}
