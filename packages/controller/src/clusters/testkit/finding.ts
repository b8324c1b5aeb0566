import type { Client, ClusterAccess } from '@wherry/client'
import type { ClusterProvider } from '../provider.ts'

/** Runs a provider, and notes what it finds. */
export function finding(
  provider: ClusterProvider,
  client: Client,
): {
  readonly events: string[]
  /** By the name of the cluster. */
  readonly accesses: ReadonlyMap<string, ClusterAccess | undefined>
  /** Ends the provider. */
  readonly stop: () => Promise<void>
} {
  const events: string[] = []
  const names = new Set<string>()
  const accesses = new Map<string, ClusterAccess | undefined>()
  const stop = new AbortController()
  const running = provider.provide({
    client,
    signal: stop.signal,
    get names() {
      return [...names]
    },
    set: (name, connection) => {
      names.add(name)
      // As for a fleet, an equal connection is no change.
      if ('access' in connection && accesses.get(name) === connection.access) return
      accesses.set(name, 'access' in connection ? connection.access : undefined)
      events.push(`${name} ${'kubeconfig' in connection ? connection.source : connection.access?.server.href}`)
    },
    invalid: (name, error) => {
      names.add(name)
      events.push(`${name} is invalid: ${error.message}`)
    },
    remove: name => {
      names.delete(name)
      events.push(`${name} is removed`)
    },
  })
  return {
    events,
    accesses,
    stop: () => {
      stop.abort()
      return running
    },
  }
}
