import { type JsonObject, objectAt, objectsAt, own, stringAt, stringsAt } from '@wherry/cel/internal'
import { selectorText } from '../../selectors/selector-text.ts'
import { ageOf, countAt, labelsText, nameOf, none, type Printer } from './printer.ts'

const maxHosts = 3
const maxEndpoints = 3

/** Services, Endpoints, and objects of `networking.k8s.io`. */
export const network: Readonly<Record<string, Printer>> = {
  services: {
    cells(object, now) {
      const spec = objectAt(object, 'spec') ?? {}
      const external = externalAddress(spec, addresses(objectAt(object, 'status')))
      return [
        ...[nameOf(object), stringAt(spec, 'type') ?? '', stringsAt(spec, 'clusterIPs')[0] ?? none, external],
        ...[objectsAt(spec, 'ports').map(portText).join(',') || none, ageOf(object, now)],
        labelsText(objectAt(spec, 'selector')),
      ]
    },
  },
  'ingresses.networking.k8s.io': {
    cells(object, now) {
      const spec = objectAt(object, 'spec')
      return [
        ...[nameOf(object), stringAt(spec, 'ingressClassName') ?? none, hostsText(objectsAt(spec, 'rules'))],
        ...[addresses(objectAt(object, 'status')).join(','), objectsAt(spec, 'tls').length > 0 ? '80, 443' : '80'],
        ageOf(object, now),
      ]
    },
  },
  'ingressclasses.networking.k8s.io': {
    cells(object, now) {
      const spec = objectAt(object, 'spec')
      const isDefault = object.metadata.annotations?.['ingressclass.kubernetes.io/is-default-class'] === 'true'
      const name = isDefault ? `${nameOf(object)} (default)` : nameOf(object)
      const to = objectAt(spec, 'parameters')
      const group = stringAt(to, 'apiGroup')
      const kind = `${stringAt(to, 'kind') ?? ''}${group === undefined ? '' : `.${group}`}`
      const parameters = to === undefined ? none : `${kind}/${stringAt(to, 'name') ?? ''}`
      return [name, stringAt(spec, 'controller') ?? '', parameters, ageOf(object, now)]
    },
  },
  'networkpolicies.networking.k8s.io': {
    cells: (object, now) => [
      nameOf(object),
      selectorText(objectAt(objectAt(object, 'spec'), 'podSelector')) || none,
      ageOf(object, now),
    ],
  },
  endpoints: {
    cells: (object, now) => [nameOf(object), endpointsText(objectsAt(object, 'subsets')), ageOf(object, now)],
  },
}

/** The addresses of a load balancer, each once. */
function addresses(status: JsonObject | undefined): string[] {
  const given = objectsAt(objectAt(status, 'loadBalancer'), 'ingress')
  const found = given.map(one => stringAt(one, 'ip') || stringAt(one, 'hostname') || '').filter(one => one !== '')
  return [...new Set(found)].sort()
}

function externalAddress(spec: JsonObject, balancer: readonly string[]): string {
  const given = stringsAt(spec, 'externalIPs')
  switch (stringAt(spec, 'type')) {
    case 'ClusterIP':
    case 'NodePort':
      return given.join(',') || none
    case 'LoadBalancer':
      return [...balancer, ...given].join(',') || '<pending>'
    case 'ExternalName':
      return stringAt(spec, 'externalName') ?? ''
    default:
      return '<unknown>'
  }
}

function portText(port: JsonObject): string {
  const [number, ofNodes] = [countAt(port, 'port'), countAt(port, 'nodePort')]
  return `${number}${ofNodes > 0 ? `:${ofNodes}` : ''}/${stringAt(port, 'protocol') ?? ''}`
}

function hostsText(rules: readonly JsonObject[]): string {
  const hosts: string[] = []
  let more = false
  for (const rule of rules) {
    if (hosts.length === maxHosts) more = true
    const host = stringAt(rule, 'host') ?? ''
    if (!more && host !== '') hosts.push(host)
  }
  if (hosts.length === 0) return '*'
  return more ? `${hosts.join(',')} + ${rules.length - maxHosts} more...` : hosts.join(',')
}

function endpointsText(subsets: readonly JsonObject[]): string {
  if (subsets.length === 0) return none
  const all = subsets.flatMap(subset => {
    const ips = objectsAt(subset, 'addresses').map(one => stringAt(one, 'ip') ?? '')
    const ports = objectsAt(subset, 'ports').map(one => own(one, 'port') as number)
    return ports.length === 0 ? ips : ports.flatMap(port => ips.map(ip => withPort(ip, port)))
  })
  const shown = all.slice(0, maxEndpoints).join(',')
  return all.length > maxEndpoints ? `${shown} + ${all.length - maxEndpoints} more...` : shown
}

function withPort(ip: string, port: number): string {
  return ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`
}
