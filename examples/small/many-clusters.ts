/**
 * Many clusters: counts the keys of ConfigMaps in each cluster that has a Secret with its kubeconfig, while clusters come and go.
 *
 * It shows `Clusters` and `kubeconfigSecrets` of @wherry/controller/clusters. Use it if one operator works with many clusters. Add one:
 *
 *     kubectl create secret generic eu --from-file=kubeconfig=eu.yaml
 *     kubectl label secret eu sigs.k8s.io/multicluster-runtime-kubeconfig=true
 *
 *     node examples/small/many-clusters.ts
 */
import { configMaps } from '@wherry/client/resources/core'
import { Operator } from '@wherry/controller'
import { Clusters, kubeconfigSecrets } from '@wherry/controller/clusters'

const home = await Operator.connect({ name: 'example-many-clusters', log: false })

home.addComponent(
  new Clusters({
    provider: kubeconfigSecrets({ namespace: 'default' }), // in the home cluster
    // Each cluster has an operator of its own, so one that is down delays no other.
    declare: (operator, cluster) => {
      operator
        .controller('numbers')
        .for(configMaps.within({ namespaces: ['default'] }))
        .reconcile(({ key, object }) =>
          console.log(`${key.name} of ${cluster.name} has ${Object.keys(object.data ?? {}).length} keys`),
        )
        // Not if the cluster itself is removed.
        .onGone(({ key }) => console.log(`${key.name} of ${cluster.name} is gone`))
    },
  }),
)

await home.run()
