import { objectAt } from '@wherry/cel/internal'
import { materialise } from '../objects/stored.ts'
import { StatusError } from '../status.ts'
import type { Store } from '../store/store.ts'

const apiServices = {
  group: 'apiregistration.k8s.io',
  plural: 'apiservices',
  kind: 'APIService',
  namespaced: false,
  custom: false,
}

/** Throws the 503 of a server that can't reach another server, if an APIService places the group and version of a request there. */
export function checkAggregated(store: Store, path: string): void {
  const [, first, group = '', version = ''] = path.split('/', 4)
  if (first !== 'apis' || version === '') return
  const found = store.collection(apiServices).get(`${version}.${group}`)
  if (found === undefined) return
  const spec = objectAt(materialise(found, 'apiregistration.k8s.io/v1', 'APIService'), 'spec')
  if (spec?.service === undefined) return
  throw new StatusError(503, '', 'service unavailable\n', {
    plain: true,
    headers: { 'x-content-type-options': 'nosniff' },
  })
}
