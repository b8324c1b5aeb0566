import { type Json, type JsonObject, objectAt, objectsAt, own, stringAt, stringsAt } from '@wherry/cel/internal'
import type { KubeObject } from '../../objects/object.ts'
import {
  ageOf,
  containerCells,
  countAt,
  durationText,
  labelsText,
  nameOf,
  none,
  type Printer,
  since,
} from './printer.ts'

const unset = '<unset>'

function specOf(object: KubeObject): JsonObject | undefined {
  return objectAt(object, 'spec')
}

function conditionsOf(object: KubeObject): readonly JsonObject[] {
  return objectsAt(objectAt(object, 'status'), 'conditions')
}

function text(of: JsonObject | undefined, field: string): string {
  return stringAt(of, field) ?? ''
}

const nameAndAge: Printer = { cells: (object, now) => [nameOf(object), ageOf(object, now)] }

/** The first three texts, and the number of the others. */
function atMostThree(all: readonly string[]): string {
  const shown = all.slice(0, 3).join(',')
  return all.length > 3 ? `${shown} + ${all.length - 3} more...` : shown || unset
}

function certificateState(object: KubeObject): string {
  const types = conditionsOf(object).map(one => stringAt(one, 'type'))
  const decided = types.includes('Denied') ? 'Denied' : types.includes('Approved') ? 'Approved' : 'Pending'
  const issued = text(objectAt(object, 'status'), 'certificate') === '' ? '' : ',Issued'
  return `${decided}${types.includes('Failed') ? ',Failed' : ''}${issued}`
}

function claimState(object: KubeObject): string {
  const status = objectAt(object, 'status')
  const deleted = object.metadata.deletionTimestamp !== undefined
  if (objectAt(status, 'allocation') === undefined) return deleted ? 'deleted' : 'pending'
  const reserved = objectsAt(status, 'reservedFor').length > 0
  return [...(deleted ? ['deleted'] : []), 'allocated', ...(reserved ? ['reserved'] : [])].join(',')
}

/** The used part of each quota, in two columns: limits, and all other quotas. */
function quotaCells(object: KubeObject): Json[] {
  const status = objectAt(object, 'status')
  const [hard, used] = [objectAt(status, 'hard') ?? {}, objectAt(status, 'used') ?? {}]
  const names = Object.keys(hard).sort()
  const cell = (limits: boolean): string =>
    names
      .filter(name => name.startsWith('limits.') === limits)
      .map(name => `${name}: ${String(own(used, name) ?? '0')}/${String(hard[name])}`)
      .join(', ')
  return [cell(false), cell(true)]
}

function controllerText({ metadata }: KubeObject): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true)
  if (owner === undefined) return none
  const [group, version] = owner.apiVersion.split('/')
  const kind = version === undefined ? owner.kind : `${owner.kind}.${group}`
  return `${kind.toLowerCase()}/${owner.name}`
}

function parentText(object: KubeObject): string {
  const parent = objectAt(specOf(object), 'parentRef')
  if (parent === undefined) return none
  const [group, namespace] = [text(parent, 'group'), text(parent, 'namespace')]
  const resource = `${text(parent, 'resource')}${group === '' ? '' : `.${group}`}`.toLowerCase()
  return `${resource}/${namespace === '' ? '' : `${namespace}/`}${text(parent, 'name')}`
}

/** The last of these conditions that is true. */
function stateOf(object: KubeObject, states: readonly string[], otherwise: string): string {
  const found = conditionsOf(object).findLast(
    one => stringAt(one, 'status') === 'True' && states.includes(text(one, 'type')),
  )
  return found === undefined ? otherwise : text(found, 'type')
}

function availableText(object: KubeObject): string {
  const condition = conditionsOf(object).find(one => stringAt(one, 'type') === 'Available')
  if (condition === undefined) return 'Unknown'
  const [status, reason] = [text(condition, 'status'), text(condition, 'reason')]
  return status === 'True' || reason === '' ? status : `${status} (${reason})`
}

/** Resources that operators seldom create. */
export const rarer: Readonly<Record<string, Printer>> = {
  podtemplates: {
    cells: object => {
      const template = objectAt(object, 'template')
      return [
        nameOf(object),
        ...containerCells(template),
        labelsText(objectAt(objectAt(template, 'metadata'), 'labels')),
      ]
    },
  },
  resourcequotas: { cells: (object, now) => [nameOf(object), ...quotaCells(object), ageOf(object, now)] },
  componentstatuses: {
    cells(object) {
      const healthy = objectsAt(object, 'conditions').find(one => stringAt(one, 'type') === 'Healthy')
      const health = stringAt(healthy, 'status') === 'True' ? 'Healthy' : 'Unhealthy'
      return [
        nameOf(object),
        healthy === undefined ? 'Unknown' : health,
        text(healthy, 'message'),
        text(healthy, 'error'),
      ]
    },
  },
  'apiservices.apiregistration.k8s.io': {
    cells(object, now) {
      const service = objectAt(specOf(object), 'service')
      const where = service === undefined ? 'Local' : `${text(service, 'namespace')}/${text(service, 'name')}`
      return [nameOf(object), where, availableText(object), ageOf(object, now)]
    },
  },
  'controllerrevisions.apps': {
    cells: (object, now) => [nameOf(object), controllerText(object), countAt(object, 'revision'), ageOf(object, now)],
  },
  'certificatesigningrequests.certificates.k8s.io': {
    cells(object, now) {
      const spec = specOf(object)
      const seconds = own(spec ?? {}, 'expirationSeconds')
      return [
        ...[nameOf(object), ageOf(object, now), text(spec, 'signerName') || none, text(spec, 'username')],
        ...[typeof seconds === 'number' ? durationText(seconds) : none, certificateState(object)],
      ]
    },
  },
  'clustertrustbundles.certificates.k8s.io': {
    cells: object => [nameOf(object), text(specOf(object), 'signerName') || none],
  },
  'podcertificaterequests.certificates.k8s.io': {
    cells(object) {
      const spec = specOf(object)
      const named = ['podName', 'serviceAccountName', 'nodeName', 'signerName'].map(field => text(spec, field))
      const state = conditionsOf(object).findLast(one => ['Issued', 'Denied', 'Failed'].includes(text(one, 'type')))
      const annotations = labelsText(objectAt(spec, 'unverifiedUserAnnotations'))
      return [nameOf(object), ...named, state === undefined ? 'Pending' : text(state, 'type'), annotations]
    },
  },
  'ipaddresses.networking.k8s.io': { cells: (object, now) => [nameOf(object), parentText(object), ageOf(object, now)] },
  'servicecidrs.networking.k8s.io': {
    cells: (object, now) => [nameOf(object), stringsAt(specOf(object), 'cidrs').join(','), ageOf(object, now)],
  },
  'csidrivers.storage.k8s.io': {
    cells(object, now) {
      const spec = specOf(object) ?? {}
      const requests = own(spec, 'tokenRequests')
      const audiences = objectsAt(spec, 'tokenRequests').map(one => text(one, 'audience'))
      return [
        ...[nameOf(object), own(spec, 'attachRequired') ?? true, own(spec, 'podInfoOnMount') ?? false],
        ...[own(spec, 'storageCapacity') ?? false, requests === undefined ? unset : audiences.join(',')],
        ...[own(spec, 'requiresRepublish') ?? false, stringsAt(spec, 'volumeLifecycleModes').join(',') || none],
        ageOf(object, now),
      ]
    },
  },
  'csinodes.storage.k8s.io': {
    cells: (object, now) => [nameOf(object), objectsAt(specOf(object), 'drivers').length, ageOf(object, now)],
  },
  'volumeattachments.storage.k8s.io': {
    cells(object, now) {
      const spec = specOf(object)
      const volume = text(objectAt(spec, 'source'), 'persistentVolumeName')
      const attached = own(objectAt(object, 'status') ?? {}, 'attached') ?? false
      return [nameOf(object), text(spec, 'attacher'), volume, text(spec, 'nodeName'), attached, ageOf(object, now)]
    },
  },
  'volumeattributesclasses.storage.k8s.io': {
    cells: (object, now) => [nameOf(object), text(object, 'driverName'), ageOf(object, now)],
  },
  'runtimeclasses.node.k8s.io': {
    cells: (object, now) => [nameOf(object), text(object, 'handler'), ageOf(object, now)],
  },
  'endpointslices.discovery.k8s.io': {
    cells(object, now) {
      const ports = objectsAt(object, 'ports').map(one => String(own(one, 'port') ?? own(one, 'name') ?? ''))
      const addresses = objectsAt(object, 'endpoints').flatMap(one => stringsAt(one, 'addresses'))
      const type = text(object, 'addressType')
      return [nameOf(object), type, atMostThree(ports), atMostThree(addresses), ageOf(object, now)]
    },
  },
  'deviceclasses.resource.k8s.io': nameAndAge,
  'resourceclaimtemplates.resource.k8s.io': nameAndAge,
  'resourceclaims.resource.k8s.io': {
    cells: (object, now) => [nameOf(object), claimState(object), ageOf(object, now)],
  },
  'resourceslices.resource.k8s.io': {
    cells(object, now) {
      const spec = specOf(object)
      const pool = text(objectAt(spec, 'pool'), 'name')
      return [nameOf(object), text(spec, 'nodeName'), text(spec, 'driver'), pool, ageOf(object, now)]
    },
  },
  'devicetaintrules.resource.k8s.io': {
    cells(object, now) {
      const taint = objectAt(specOf(object), 'taint')
      const added = text(taint, 'timeAdded')
      const fields = ['key', 'value', 'effect'].map(field => text(taint, field))
      return [nameOf(object), ...fields, added === '' ? '' : since(added, now), ageOf(object, now)]
    },
  },
  'flowschemas.flowcontrol.apiserver.k8s.io': {
    cells(object, now) {
      const spec = specOf(object)
      const method = text(objectAt(spec, 'distinguisherMethod'), 'type') || none
      const dangling = conditionsOf(object).find(one => stringAt(one, 'type') === 'Dangling')
      const level = text(objectAt(spec, 'priorityLevelConfiguration'), 'name')
      const missing = dangling === undefined ? '?' : text(dangling, 'status')
      return [nameOf(object), level, countAt(spec, 'matchingPrecedence'), method, ageOf(object, now), missing]
    },
  },
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': {
    cells(object, now) {
      const spec = specOf(object)
      const limited = objectAt(spec, 'limited')
      const queuing = objectAt(objectAt(limited, 'limitResponse'), 'queuing')
      const count = (of: JsonObject | undefined, field: string): Json => (of === undefined ? none : countAt(of, field))
      return [
        ...[nameOf(object), text(spec, 'type'), count(limited, 'nominalConcurrencyShares'), count(queuing, 'queues')],
        ...[count(queuing, 'handSize'), count(queuing, 'queueLengthLimit'), ageOf(object, now)],
      ]
    },
  },
  'storageversionmigrations.storagemigration.k8s.io': {
    cells(object) {
      const resource = objectAt(specOf(object), 'resource')
      const [group, name] = [text(resource, 'group'), text(resource, 'resource')]
      const state = stateOf(object, ['Running', 'Failed', 'Succeeded'], 'Unknown')
      return [nameOf(object), group === '' ? name : `${name}.${group}`, state]
    },
  },
}
