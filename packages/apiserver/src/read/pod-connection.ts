import { objectAt, stringAt } from '@wherry/cel/internal'
import type { KubeObject } from '../objects/object.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { StatusError } from '../status.ts'
import { checkLogged } from './pod-log.ts'

const connections = ['exec', 'attach', 'portforward']

/** Whether a subresource connects its caller to a container. */
export function isConnection({ group, plural, custom }: ResourceType, subresource: string): boolean {
  return !custom && group === '' && plural === 'pods' && connections.includes(subresource)
}

/** Why a caller can't be connected to a Pod: no node has it, or none that runs. Throws the server's 400 for a container that is none. */
export function noConnection(pod: KubeObject, subresource: string, container: string | null): StatusError {
  if (subresource !== 'portforward') checkLogged(pod, container)
  const node = stringAt(objectAt(pod, 'spec'), 'nodeName') ?? ''
  if (node !== '') return StatusError.missing(`pods/${subresource} of a Pod on a node`)
  return StatusError.badRequest(`pod ${pod.metadata.name ?? ''} does not have a host assigned`)
}
