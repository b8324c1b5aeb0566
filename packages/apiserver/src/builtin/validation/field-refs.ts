import { type JsonObject, qualifiedNameProblems, stringAt } from '@wherry/cel/internal'
import type { Causes } from './causes.ts'

/** The fields of a Pod that have a name in references. Each use allows some of them. */
const named = [
  ...['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid'],
  ...['spec.nodeName', 'spec.restartPolicy', 'spec.serviceAccountName', 'spec.schedulerName', 'status.phase'],
  ...['status.hostIP', 'status.hostIPs', 'status.podIP', 'status.podIPs'],
]

/** Checks a reference to a field of a Pod. `allowed` are the fields of this use. */
export function checkFieldPath(field: string, of: JsonObject, allowed: readonly string[], causes: Causes): void {
  const version = stringAt(of, 'apiVersion') ?? ''
  const given = stringAt(of, 'fieldPath') ?? ''
  if (version === '') return causes.required(`${field}.apiVersion`)
  if (given === '') return causes.required(`${field}.fieldPath`)
  const refuse = (why: string): void =>
    causes.invalid(`${field}.fieldPath`, given, `error converting fieldPath: ${why}`)
  if (version !== 'v1') return refuse(`unsupported pod version: ${version}`)
  const [, list, key] = /^(.*)\['(.*)'\]$/.exec(given) ?? []
  if (list !== undefined && key !== undefined) {
    if (list !== 'metadata.annotations' && list !== 'metadata.labels') {
      return refuse(`field label does not support subscript: ${given}`)
    }
    const problems = qualifiedNameProblems(list === 'metadata.labels' ? key : key.toLowerCase())
    return causes.invalid(field, key, ...problems)
  }
  const path = given === 'spec.host' ? 'spec.nodeName' : given
  if (!named.includes(path)) return refuse(`field label not supported: ${given}`)
  if (!allowed.includes(path)) causes.unsupported(`${field}.fieldPath`, path, allowed.toSorted())
}

const resources = ['cpu', 'ephemeral-storage', 'memory']
const ofContainers = ['limits', 'requests'].flatMap(list => resources.map(name => `${list}.${name}`))
const sizes = [...['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei']]

/** Checks a reference to a resource of a container. A volume must name the container. */
export function checkResourceField(field: string, of: JsonObject, ofVolume: boolean, causes: Causes): void {
  const [resource, divisor] = [stringAt(of, 'resource') ?? '', stringAt(of, 'divisor') ?? '0']
  const huge = /^(requests|limits)\.hugepages-/.test(resource)
  if (ofVolume && (stringAt(of, 'containerName') ?? '') === '') causes.required(`${field}.containerName`)
  else if (resource === '') causes.required(`${field}.resource`)
  else if (!ofContainers.includes(resource) && !huge) causes.unsupported(`${field}.resource`, resource, ofContainers)
  if (divisor === '0') return
  const refuse = (known: string, what: string): void =>
    causes.invalid(
      `${field}.divisor`,
      resource,
      `only divisor's values ${known} are supported with the ${what} resource`,
    )
  const name = resource.replace(/^(requests|limits)\./, '')
  if (name === resource || !(huge || resources.includes(name))) return
  if (name === 'cpu') {
    if (divisor !== '1m' && divisor !== '1') refuse('1m and 1', 'cpu')
  } else if (!sizes.includes(divisor)) {
    refuse(sizes.join(', '), huge ? 'hugepages' : name === 'memory' ? 'memory' : 'local ephemeral storage')
  }
}
