const version = (name: string, field: string, storage: boolean): object => {
  const spec = { type: 'object', properties: { [field]: { type: 'integer' } } }
  return {
    ...{ name, storage, served: true },
    schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
  }
}
/** Games with two versions: the newer one has `players` in place of `size`. */
export const definition = {
  ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
  metadata: { name: 'games.arcade.example.com' },
  spec: {
    ...{ group: 'arcade.example.com', scope: 'Namespaced', names: { plural: 'games', kind: 'Game' } },
    versions: [version('v1beta1', 'size', false), version('v1', 'players', true)],
  },
}
