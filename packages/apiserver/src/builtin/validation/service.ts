import {
  dnsLabelProblems,
  type Json,
  type JsonObject,
  objectAt,
  objectsAt,
  own,
  qualifiedNameProblems,
  stringAt,
  stringsAt,
  subdomainProblems,
} from '@wherry/cel/internal'
import { cidrProblems, endpointProblems, ipProblems } from './addresses.ts'
import type { Causes, Check } from './causes.ts'
import { checkLabels } from './label-selector.ts'
import { checkPort, checkPortNumber, protocols } from './ports.ts'
import { maybe } from './rules.ts'

const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']
const maxAffinitySeconds = 86_400

export const checkService: Check = (service, causes) => {
  const spec = objectAt(service, 'spec') ?? {}
  const [type, ports] = [stringAt(spec, 'type') ?? '', objectsAt(spec, 'ports')]
  const headless = stringAt(spec, 'clusterIP') === 'None'
  if (ports.length === 0 && !headless && type !== 'ExternalName') causes.required('spec.ports')
  if (headless && (type === 'LoadBalancer' || type === 'NodePort')) {
    causes.invalid('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`)
  }
  if (type === 'ExternalName') checkExternalName(spec, causes)
  checkPorts(ports, causes)
  checkLabels('spec.selector', objectAt(spec, 'selector'), causes)
  checkAffinity(spec, causes)
  for (const [i, ip] of stringsAt(spec, 'externalIPs').entries()) {
    const problems = ipProblems(ip)
    causes.invalid(`spec.externalIPs[${i}]`, ip, ...(problems.length > 0 ? problems : endpointProblems(ip)))
  }
  causes.chosen('spec.type', type, types)
  checkRepeated(ports, type, causes)
  checkBalancer(spec, type, causes)
  checkTraffic(spec, type, causes)
}

function checkExternalName(spec: JsonObject, causes: Causes): void {
  for (const name of ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) {
    if (own(spec, name) === undefined) continue
    causes.forbidden(`spec.${name}`, 'may not be set for ExternalName services')
  }
  const name = (stringAt(spec, 'externalName') ?? '').replace(/\.$/, '')
  if (name === '') causes.required('spec.externalName')
  else causes.invalid('spec.externalName', name, ...subdomainProblems(name))
}

function checkPorts(ports: readonly JsonObject[], causes: Causes): void {
  const names = new Set<string>()
  for (const [i, port] of ports.entries()) {
    const [at, name] = [`spec.ports[${i}]`, stringAt(port, 'name') ?? '']
    if (name !== '') {
      causes.invalid(`${at}.name`, name, ...dnsLabelProblems(name))
      if (names.has(name)) causes.duplicate(`${at}.name`, name)
      names.add(name)
    } else if (ports.length > 1) causes.required(`${at}.name`)
    checkPortNumber(`${at}.port`, own(port, 'port'), causes)
    causes.chosen(`${at}.protocol`, own(port, 'protocol'), protocols)
    checkPort(`${at}.targetPort`, own(port, 'targetPort'), causes)
    const application = stringAt(port, 'appProtocol')
    if (application !== undefined)
      causes.invalid(`${at}.appProtocol`, application, ...qualifiedNameProblems(application))
  }
}

function checkAffinity(spec: JsonObject, causes: Causes): void {
  const affinity = own(spec, 'sessionAffinity')
  causes.chosen('spec.sessionAffinity', affinity, ['ClientIP', 'None'])
  const config = objectAt(spec, 'sessionAffinityConfig')
  if (affinity === 'None' && config !== undefined) {
    causes.forbidden('spec.sessionAffinityConfig', 'must not be set when session affinity is None')
  }
  const seconds = own(objectAt(config, 'clientIP') ?? {}, 'timeoutSeconds')
  if (affinity !== 'ClientIP' || typeof seconds !== 'number') return
  if (seconds >= 1 && seconds <= maxAffinitySeconds) return
  const at = 'spec.sessionAffinityConfig.clientIP.timeoutSeconds'
  causes.invalid(at, seconds, `must be greater than 0 and less than ${maxAffinitySeconds}`)
}

/** Checks for ports of nodes in a Service that can't have any, and for duplicate ports. */
function checkRepeated(ports: readonly JsonObject[], type: string, causes: Causes): void {
  const nodePorts = ports.map(port => own(port, 'nodePort') ?? 0)
  for (const [i, port] of nodePorts.entries()) {
    if (type !== 'ClusterIP' || port === 0) continue
    causes.forbidden(`spec.ports[${i}].nodePort`, "may not be used when `type` is 'ClusterIP'")
  }
  const taken = new Set<string>()
  for (const [i, port] of ports.entries()) {
    const number = nodePorts[i] as Json
    const which = `node/${stringAt(port, 'protocol')}/${number}`
    if (number !== 0 && taken.has(which)) causes.duplicate(`spec.ports[${i}].nodePort`, number)
    taken.add(which)
  }
  for (const [i, port] of ports.entries()) {
    const [protocol, number] = [stringAt(port, 'protocol') ?? '', own(port, 'port') ?? 0]
    const which = `${protocol}/${number}`
    // The server prints its own type.
    const printed = { Name: '', Protocol: protocol, AppProtocol: null, Port: number, TargetPort: 0, NodePort: 0 }
    if (taken.has(which)) causes.duplicate(`spec.ports[${i}]`, printed)
    taken.add(which)
  }
}

function checkBalancer(spec: JsonObject, type: string, causes: Causes): void {
  if (type === 'LoadBalancer') {
    for (const [i, range] of stringsAt(spec, 'loadBalancerSourceRanges').entries()) {
      causes.invalid(`spec.LoadBalancerSourceRanges[${i}]`, range, ...cidrProblems(range.trim()))
    }
    return
  }
  const why = "may only be used when `type` is 'LoadBalancer'"
  const ranges = own(spec, 'loadBalancerSourceRanges')
  // The server's own path has a capital.
  if (Array.isArray(ranges) && ranges.length > 0) causes.forbidden('spec.LoadBalancerSourceRanges', why)
  if (own(spec, 'allocateLoadBalancerNodePorts') !== undefined) {
    causes.forbidden('spec.allocateLoadBalancerNodePorts', why)
  }
  if (own(spec, 'loadBalancerClass') !== undefined) causes.forbidden('spec.loadBalancerClass', why)
}

function checkTraffic(spec: JsonObject, type: string, causes: Causes): void {
  const outside = type === 'NodePort' || type === 'LoadBalancer' || own(spec, 'externalIPs') !== undefined
  const [external, internal] = [own(spec, 'externalTrafficPolicy'), own(spec, 'internalTrafficPolicy')]
  const known = ['Cluster', 'Local']
  if (outside) causes.chosen('spec.externalTrafficPolicy', external, known)
  else if (external !== undefined) {
    causes.invalid('spec.externalTrafficPolicy', external, 'may only be set for externally-accessible services')
  }
  const health = own(spec, 'healthCheckNodePort')
  if (health !== undefined && !(type === 'LoadBalancer' && external === 'Local')) {
    const why = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
    causes.invalid('spec.healthCheckNodePort', health, why)
  } else if (health !== undefined) checkPortNumber('spec.healthCheckNodePort', health, causes)
  if (internal !== undefined && !known.includes(internal as string)) {
    causes.unsupported('spec.internalTrafficPolicy', internal, known)
  }
  const distribution = own(spec, 'trafficDistribution')
  maybe('PreferClose', 'PreferSameZone', 'PreferSameNode')('spec.trafficDistribution', distribution, causes, spec)
}
