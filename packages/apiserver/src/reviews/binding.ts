import { type JsonObject, objectAt, objectsAt, own, stringAt } from '@wherry/cel/internal'
import type { KubeObject } from '../objects/object.ts'
import { timestamp } from '../objects/timestamp.ts'
import { type Status, StatusError } from '../status.ts'
import { parseObject } from '../write/body.ts'
import type { FieldValidation } from '../write/fields.ts'
import { readObject } from '../write/read-object.ts'
import type { WriteRequest } from '../write/write-request.ts'
import { preconditionFailed } from '../write/writer.ts'
import type { ActionHost } from './action-host.ts'

/** Carries out `pods/binding` and `bindings`: sets the node of a Pod, once. */
export function bind(
  host: Pick<ActionHost, 'webhooks' | 'writer' | 'clock' | 'registry'>,
  write: WriteRequest,
  validation: FieldValidation,
): Status {
  const { type, target, request, info } = write
  const kind = { ...type, kind: 'Binding' }
  const body = readObject(parseObject(request, kind), { ...write, type: kind }, validation)
  const binding = host.webhooks.mutate(body, undefined)
  const { name = '', uid = '', resourceVersion = '', labels, annotations } = binding.metadata
  if (target.name !== '' && name !== target.name) {
    throw StatusError.badRequest('name in URL does not match name in Binding object')
  }
  const node = nodeOf(binding)
  host.webhooks.validate(binding, undefined)
  const dryRun = info.query.getAll('dryRun').some(one => one !== '')
  const pods = host.registry.resolve('', 'v1', 'pods')
  const { object: pod } = host.writer.read(pods, target.namespace, name)
  if (uid !== '' && uid !== pod.metadata.uid) throw preconditionFailed(pods, pod, 'UID', uid, dryRun)
  if (resourceVersion !== '' && resourceVersion !== pod.metadata.resourceVersion) {
    throw preconditionFailed(pods, pod, 'ResourceVersion', resourceVersion, dryRun)
  }
  const why = whyNot(pod, name)
  if (why !== undefined) throw StatusError.conflict({ ...pods, plural: 'pods/binding' }, name, why)
  const metadata = { ...pod.metadata }
  if (labels !== undefined) metadata.labels = { ...metadata.labels, ...labels }
  if (annotations !== undefined) metadata.annotations = { ...metadata.annotations, ...annotations }
  const spec = { ...objectAt(pod, 'spec'), nodeName: node }
  const status = scheduled(objectAt(pod, 'status') ?? {}, timestamp(host.clock.now()))
  if (!dryRun) host.writer.put(pods, { ...pod, metadata, spec, status })
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }
}

function nodeOf(binding: KubeObject): string {
  const target = objectAt(binding, 'target')
  const [kind, name] = [stringAt(target, 'kind') ?? '', stringAt(target, 'name') ?? '']
  const problems: string[] = []
  if (kind !== '' && kind !== 'Node') {
    problems.push(`target.kind: Unsupported value: ${JSON.stringify(kind)}: supported values: "Node", "<empty>"`)
  }
  if (name === '') problems.push('target.name: Required value')
  if (problems.length === 0) return name
  throw new StatusError(500, '', problems.length === 1 ? (problems[0] as string) : `[${problems.join(', ')}]`)
}

function whyNot(pod: KubeObject, name: string): string | undefined {
  const spec = objectAt(pod, 'spec')
  const node = stringAt(spec, 'nodeName')
  if (pod.metadata.deletionTimestamp !== undefined) return `pod ${name} is being deleted, cannot be assigned to a host`
  if (node !== undefined) return `pod ${name} is already assigned to node ${JSON.stringify(node)}`
  return objectsAt(spec, 'schedulingGates').length > 0 ? `pod ${name} has non-empty .spec.schedulingGates` : undefined
}

function scheduled(status: JsonObject, now: string): JsonObject {
  const { nominatedNodeName: _, ...rest } = status
  const others = objectsAt(status, 'conditions').filter(one => own(one, 'type') !== 'PodScheduled')
  const condition = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: now }
  return { ...rest, conditions: [...others, condition] }
}
