import type { KubernetesObject, View } from '@wherry/client'
import { Informer } from '@wherry/informer'
import { aborted } from '@wherry/informer/internal'
import type { DeclaredRight } from '../operator/declaration.ts'
import type { ClusterProvider, FoundClusters } from './provider.ts'

/** How the objects of a view stand for clusters. */
export interface ObjectsParts<C> {
  /** The name of an object's cluster; `undefined` if it stands for none. */
  readonly nameOf: (object: C) => string | undefined
  /** Sets the cluster of an object, or reports that it is invalid. */
  readonly take: (found: FoundClusters, object: C, name: string) => void
  /** Called when a cluster was removed. */
  readonly removed?: ((name: string) => void) | undefined
}

/** Clusters by objects of the home cluster: one that leaves the view is removed. */
export function objectsProvider<C extends KubernetesObject>(
  view: View<C>,
  rights: readonly DeclaredRight[],
  { nameOf, take, removed }: ObjectsParts<C>,
): ClusterProvider {
  return {
    rights,
    provide: async found => {
      const informer = new Informer({ client: found.client, view })
      const seen = (object: C): void => {
        const name = nameOf(object)
        if (name !== undefined) take(found, object, name)
      }
      const leave = (name: string | undefined): void => {
        if (name === undefined) return
        found.remove(name)
        removed?.(name)
      }
      informer.addHandler({
        add: seen,
        update: (object, { old }) => {
          const former = nameOf(old)
          // A label may name the cluster, and change.
          if (former !== nameOf(object)) leave(former)
          seen(object)
        },
        delete: object => leave(nameOf(object)),
      })
      informer.start()
      await aborted(found.signal)
      await informer.close()
    },
  }
}
