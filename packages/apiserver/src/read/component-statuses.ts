import { own } from '@wherry/cel/internal'
import type { KubeObject } from '../objects/object.ts'
import { serialise } from '../objects/stored.ts'
import { type ListOptions, selects } from '../requests/list-options.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { StatusError } from '../status.ts'
import type { Version } from '../store/version.ts'
import type { ListResult } from './list.ts'

/** Whether this is the resource of component statuses, which are not stored: the server reads the components' health instead. */
export function isComponentStatus({ group, plural, custom }: ResourceType): boolean {
  return !custom && group === '' && plural === 'componentstatuses'
}

/** The components of a control plane, with the health URLs of the components that this server does not contain. */
const components: Readonly<Record<string, string>> = {
  'controller-manager': 'https://127.0.0.1:10257/healthz',
  'etcd-0': '',
  scheduler: 'https://127.0.0.1:10259/healthz',
}

/** The health of a component. `controlled`: this server plays the controllers. Throws the server's 404. */
export function componentStatus(name: string, controlled: boolean): Version {
  const url = own(components, name)
  if (url === undefined)
    throw StatusError.notFound({ group: '', plural: 'componentstatus', kind: 'ComponentStatus' }, name)
  const healthy = url === '' || (controlled && name === 'controller-manager')
  const refused = `Get "${url}": dial tcp ${url.slice(8, -8)}: connect: connection refused`
  const condition = {
    type: 'Healthy',
    ...(healthy ? { status: 'True', message: 'ok' } : { status: 'False', message: refused }),
  }
  const object = { apiVersion: 'v1', kind: 'ComponentStatus', metadata: { name }, conditions: [condition] }
  return {
    ...serialise(object as unknown as KubeObject, '', false),
    ...{ key: name, namespace: '', name, uid: '', rv: 0, type: 'ADDED', labels: undefined, owners: undefined },
    ...{ terminating: false, storedAs: 'v1', schema: undefined, prev: undefined },
  }
}

/** A list of the components' health. */
export function componentStatuses({ selection }: ListOptions, type: ResourceType, controlled: boolean): ListResult {
  const all = Object.keys(components).map(name => componentStatus(name, controlled))
  return { items: all.filter(one => selects(selection, one, type)), rv: 0, continue: '', remaining: undefined }
}
