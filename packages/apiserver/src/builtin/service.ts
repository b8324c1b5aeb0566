import { isIP } from 'node:net'
import {
  type Json,
  type JsonObject,
  objectAt,
  objectsAt,
  own,
  sameJson,
  stringAt,
  stringsAt,
} from '@wherry/cel/internal'
import { invalid } from '../metadata/validate.ts'
import type { KubeObject } from '../objects/object.ts'
import { type StatusCause, StatusError } from '../status.ts'
import type { Defaults } from './complete.ts'
import type { ServiceAddresses } from './service-addresses.ts'

const badIp = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'
const onNodes = (of: JsonObject): boolean => ['NodePort', 'LoadBalancer'].includes(stringAt(of, 'type') ?? '')
const isOutside = (of: JsonObject): boolean => onNodes(of) || stringsAt(of, 'externalIPs').length > 0
const hasIp = (of: JsonObject): boolean => stringAt(of, 'type') !== 'ExternalName'
const needsHealthPort = (of: JsonObject): boolean =>
  stringAt(of, 'type') === 'LoadBalancer' && stringAt(of, 'externalTrafficPolicy') === 'Local'

/** The defaults of a Service that do not depend on other Services. */
export const serviceDefaults: Readonly<Record<string, Defaults>> = {
  'core.v1.ServiceSpec': {
    sessionAffinity: 'None',
    sessionAffinityConfig: of => (stringAt(of, 'sessionAffinity') === 'ClientIP' ? { clientIP: {} } : undefined),
    type: 'ClusterIP',
    externalTrafficPolicy: of => (hasIp(of) && isOutside(of) ? 'Cluster' : undefined),
    internalTrafficPolicy: of => (hasIp(of) ? 'Cluster' : undefined),
    allocateLoadBalancerNodePorts: of => (stringAt(of, 'type') === 'LoadBalancer' ? true : undefined),
  },
  'core.v1.SessionAffinityConfig': { clientIP: {} },
  'core.v1.ClientIPConfig': { timeoutSeconds: 10_800 },
  'core.v1.ServicePort': { protocol: 'TCP', targetPort: of => own(of, 'port') },
  'core.v1.LoadBalancerIngress': { ipMode: of => ((stringAt(of, 'ip') ?? '') === '' ? undefined : 'VIP') },
}

/** Removes the settings of affinity from a Service without affinity. */
export function dropAffinity(service: KubeObject): void {
  const spec = objectAt(service, 'spec')
  if (spec !== undefined && (stringAt(spec, 'sessionAffinity') || 'None') === 'None') delete spec.sessionAffinityConfig
}

/** Fields that are removed when a Service changes to a type without a use for them, unless the same write changes the fields. */
const ofType: readonly (readonly [uses: (of: JsonObject) => boolean, fields: readonly string[]])[] = [
  [hasIp, ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'internalTrafficPolicy']],
  [needsHealthPort, ['healthCheckNodePort']],
  [of => stringAt(of, 'type') === 'LoadBalancer', ['allocateLoadBalancerNodePorts', 'loadBalancerClass']],
  [isOutside, ['externalTrafficPolicy']],
]

/** The problems of the addresses that a Service asks for. */
export type AddressProblems = (spec: JsonObject) => readonly StatusCause[]

/** Gives a created or changed Service its addresses and ports. Throws 422 for addresses and ports that it can't have. */
export function allocate(
  service: KubeObject,
  old: KubeObject | undefined,
  addresses: ServiceAddresses,
  addressProblems: AddressProblems,
): void {
  const spec: JsonObject = { ...objectAt(service, 'spec') }
  const before = objectAt(old, 'spec')
  service.spec = spec
  if (before !== undefined) keepAllocated(spec, before)
  else if (own(spec, 'clusterIP') !== undefined) spec.clusterIPs ??= [own(spec, 'clusterIP') as Json]
  const problems = hasIp(spec) ? addressProblems(spec) : []
  if (problems.length > 0) throw refused(service, problems)
  const causes = hasIp(spec) && (before === undefined || !hasIp(before)) ? giveIp(spec, addresses) : []
  if (onNodes(spec)) causes.push(...givePorts(spec, before, addresses))
  if (causes.length > 0) throw refused(service, causes)
  if (before !== undefined) dropUnused(spec, before)
  if (stringAt(spec, 'type') !== 'LoadBalancer') service.status = { ...objectAt(service, 'status'), loadBalancer: {} }
}

function refused(service: KubeObject, causes: readonly StatusCause[]): StatusError {
  return StatusError.invalid({ group: '', plural: 'services', kind: 'Service' }, service.metadata.name ?? '', causes)
}

/** Keeps the allocated values that an update leaves out. */
function keepAllocated(spec: JsonObject, before: JsonObject): void {
  if (hasIp(spec) && hasIp(before)) {
    const ip = own(spec, 'clusterIP')
    spec.clusterIP ??= own(before, 'clusterIP')
    spec.clusterIPs ??= own(before, 'clusterIPs')
    spec.ipFamilies ??= own(before, 'ipFamilies')
    spec.ipFamilyPolicy ??= own(before, 'ipFamilyPolicy')
    const changed = ip !== undefined && ip !== own(before, 'clusterIP')
    if (changed && sameJson(spec.clusterIPs, own(before, 'clusterIPs'))) spec.clusterIPs = [ip]
  }
  if (onNodes(spec) && onNodes(before)) {
    const known = new Map(objectsAt(before, 'ports').map(port => [own(port, 'name'), own(port, 'nodePort')]))
    const named = new Set(objectsAt(spec, 'ports').map(port => own(port, 'nodePort')))
    spec.ports = objectsAt(spec, 'ports').map(port => {
      const nodePort = own(port, 'nodePort') ?? known.get(own(port, 'name'))
      const usable = nodePort !== undefined && (own(port, 'nodePort') !== undefined || !named.has(nodePort))
      return usable ? { ...port, nodePort } : port
    })
  }
  if (needsHealthPort(spec)) spec.healthCheckNodePort ??= own(before, 'healthCheckNodePort')
}

function giveIp(spec: JsonObject, addresses: ServiceAddresses): StatusCause[] {
  const asked = stringAt(spec, 'clusterIP')
  const headless = asked === 'None'
  const anywhere = headless && objectAt(spec, 'selector') === undefined
  const other = stringsAt(spec, 'ipFamilies').indexOf('IPv6')
  if (other !== -1 && !anywhere) {
    return [invalid(`spec.ipFamilies[${other}]`, 'IPv6', 'not configured on this cluster')]
  }
  spec.ipFamilyPolicy ??= anywhere ? 'RequireDualStack' : 'SingleStack'
  const single = spec.ipFamilyPolicy === 'SingleStack'
  if (!single && !anywhere && spec.ipFamilyPolicy === 'RequireDualStack') {
    const why = 'this cluster is not configured for dual-stack services'
    return [invalid('spec.ipFamilyPolicy', spec.ipFamilyPolicy, why)]
  }
  spec.ipFamilies ??= anywhere && !single ? ['IPv4', 'IPv6'] : ['IPv4']
  if (asked !== undefined && !headless) {
    if (isIP(asked) === 0) {
      const isPadded = isIP(asked.replace(/\b0+(?=\d)/g, '')) === 4
      return [invalid('spec.clusterIPs[0]', asked, isPadded ? 'must not have leading 0s' : badIp)]
    }
    if (asked.includes(':')) return [invalid('spec.clusterIPs[0]', [asked], 'IPv6 is not configured on this cluster')]
    const problem = addresses.problem(asked)
    if (problem !== undefined) {
      return [invalid('spec.clusterIPs', [asked], `failed to allocate IP ${asked}: ${problem}`)]
    }
  }
  spec.clusterIP = asked ?? addresses.freeIp()
  spec.clusterIPs ??= [spec.clusterIP]
  return []
}

function givePorts(spec: JsonObject, before: JsonObject | undefined, addresses: ServiceAddresses): StatusCause[] {
  const ports = objectsAt(spec, 'ports')
  const had = new Set(objectsAt(before, 'ports').map(port => own(port, 'nodePort')))
  const asked = new Set<string>()
  const taken = ports.flatMap((port, i) => {
    const number = own(port, 'nodePort') as number | undefined
    if (number === undefined) return []
    const pair = `${number} ${own(port, 'protocol')}`
    const isTwice = asked.has(pair)
    asked.add(pair)
    if (had.has(number)) return []
    const problem = isTwice ? 'provided port is already allocated' : addresses.portProblem(number)
    return problem === undefined ? [] : [invalid(`spec.ports[${i}].nodePort`, number, problem)]
  })
  const given = new Set(ports.map(port => own(port, 'nodePort') as number))
  // Ports with the same number share one port of the nodes, whatever their protocols.
  const byPort = new Map(ports.map(port => [own(port, 'port'), own(port, 'nodePort') as number | undefined]))
  const next = (): number => {
    const port = addresses.freePort(given)
    given.add(port)
    return port
  }
  if (own(spec, 'allocateLoadBalancerNodePorts') !== false) {
    spec.ports = ports.map((port): JsonObject => {
      const number = own(port, 'port')
      const nodePort = own(port, 'nodePort') ?? byPort.get(number) ?? next()
      byPort.set(number, nodePort as number)
      return { ...port, nodePort }
    })
  }
  if (needsHealthPort(spec)) spec.healthCheckNodePort ??= next()
  return taken
}

function dropUnused(spec: JsonObject, before: JsonObject): void {
  for (const [uses, fields] of ofType) {
    if (!uses(before) || uses(spec)) continue
    for (const field of fields) if (sameJson(own(spec, field), own(before, field))) delete spec[field]
  }
  if (!onNodes(before) || onNodes(spec)) return
  const portsOf = (of: JsonObject): Json[] => objectsAt(of, 'ports').map(port => own(port, 'nodePort') ?? null)
  if (!sameJson(portsOf(spec), portsOf(before))) return
  spec.ports = objectsAt(spec, 'ports').map(({ nodePort: _, ...port }) => port)
}

/** The problems of a Service that replaces another. */
export function serviceProblems(service: KubeObject, old: KubeObject | undefined): StatusCause[] {
  const [spec, before] = [objectAt(service, 'spec') ?? {}, objectAt(old, 'spec')]
  if (before === undefined || !hasIp(spec) || !hasIp(before)) return []
  const [ips, were] = [own(spec, 'clusterIPs'), own(before, 'clusterIPs')].map(list => (list ?? []) as string[])
  return (were as string[]).flatMap((ip, i) =>
    ip === ips?.[i] ? [] : [invalid(`spec.clusterIPs[${i}]`, ips, 'may not change once set')],
  )
}
