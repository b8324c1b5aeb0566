import type { UsedRight } from '@wherry/apiserver'

/** Paths that the ClusterRoles `system:discovery` and `system:public-info-viewer` of each cluster let every user read. */
const paths = /^\/((api|apis|openapi)(\/|$)|(healthz|livez|readyz|version\/?)$)/

/** The resources that the ClusterRole `system:basic-user` lets every user create. */
const reviews = [
  'authentication.k8s.io selfsubjectreviews',
  'authorization.k8s.io selfsubjectaccessreviews',
  'authorization.k8s.io selfsubjectrulesreviews',
]

/** Whether every user of a cluster has a right, so that no role needs to grant it. */
export function isGrantedToAll({ verb, group, resource, path }: UsedRight): boolean {
  if (path !== undefined) return verb === 'get' && paths.test(path)
  return verb === 'create' && reviews.includes(`${group} ${resource}`)
}
