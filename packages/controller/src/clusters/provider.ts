import type { Client, ClientOptions } from '@wherry/client'
import type { DeclaredRight } from '../operator/declaration.ts'

/** A cluster: the options of a client of it, or the text of a kubeconfig that came from elsewhere. */
export type ClusterConnection =
  | ClientOptions
  | {
      /** The kubeconfig, YAML or JSON. It must hold its credentials: commands, auth providers and paths of files are refused. */
      readonly kubeconfig: string
      /** The name of the context to use. @default the kubeconfig's current context */
      readonly context?: string | undefined
      /** Where the text is from, for errors: `secret NAMESPACE/NAME, data.KEY`. @default the cluster's name */
      readonly source?: string | undefined
    }

/** The clusters that a provider has found so far. A provider reports each change. */
export interface FoundClusters {
  /** The client of the home cluster: that of the operator that has the component. */
  readonly client: Client
  /** Aborted when the provider has to end. */
  readonly signal: AbortSignal
  /** The names of the clusters that were set and not removed. */
  readonly names: readonly string[]
  /**
   * Adds a cluster, or changes its connection. An equal connection changes nothing. Another connection ends the cluster's operator, waits for its
   * reconciles, and starts another operator. If the connection is unusable, the error is reported, and the cluster goes on with its former connection.
   *
   * @throws OptionTypeError if the name is not text
   */
  set(name: string, connection: ClusterConnection): void
  /** Reports that the connection of a cluster can't be read. A cluster that has one goes on with it. */
  invalid(name: string, error: Error): void
  /** Removes a cluster, if it is there: no reconcile begins after the call. Call it only for a cluster that is known to be gone. */
  remove(name: string): void
}

/**
 * Finds clusters, and reports which come, change and go.
 *
 * @example
 * ```ts
 * import type { ClusterProvider } from '@wherry/controller/clusters'
 *
 * export const regions: ClusterProvider = {
 *   provide: async ({ set }) => {
 *     for (const region of ['eu', 'us']) set(region, { url: `https://${region}.example.com`, tokenFile: `/tokens/${region}` })
 *   },
 * }
 * ```
 */
export interface ClusterProvider {
  /** The rights that the provider needs in the home cluster, for `wherry rbac`. @default none */
  readonly rights?: readonly DeclaredRight[] | undefined
  /**
   * Reports the clusters until the signal is aborted. It may end earlier if nothing will change. If it rejects, the error is reported, all clusters stay, and
   * it is called again with backoff.
   */
  provide(found: FoundClusters): Promise<void>
}
