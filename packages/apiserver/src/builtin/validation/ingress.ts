import { isIP } from 'node:net'
import {
  dnsLabelProblems,
  type JsonObject,
  objectAt,
  objectsAt,
  own,
  stringAt,
  stringsAt,
  subdomainProblems,
} from '@wherry/cel/internal'
import type { Causes, Check } from './causes.ts'
import { checkPortName, checkPortNumber } from './ports.ts'

const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix']
const badSequences = ['//', '/./', '/../', '%2f', '%2F']
const badEnds = ['/..', '/.']
const wildcard = /^\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const wildcardMessage =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

export const checkIngress: Check = (ingress, causes) => {
  const spec = objectAt(ingress, 'spec') ?? {}
  const [rules, backend] = [objectsAt(spec, 'rules'), objectAt(spec, 'defaultBackend')]
  if (rules.length === 0 && backend === undefined) {
    causes.invalid('spec', own(spec, 'rules'), 'either `defaultBackend` or `rules` must be specified')
  }
  if (backend !== undefined) checkBackend('spec.defaultBackend', backend, causes)
  for (const [i, rule] of rules.entries()) checkRule(`spec.rules[${i}]`, rule, causes)
  for (const [i, tls] of objectsAt(spec, 'tls').entries()) {
    for (const [j, host] of stringsAt(tls, 'hosts').entries()) checkHost(`spec.tls[${i}].hosts[${j}]`, host, causes)
    const secret = stringAt(tls, 'secretName') ?? ''
    if (secret !== '') causes.invalid(`spec.tls[${i}].secretName`, secret, ...subdomainProblems(secret))
  }
  const name = stringAt(spec, 'ingressClassName')
  if (name !== undefined) causes.invalid('spec.ingressClassName', name, ...subdomainProblems(name))
}

function checkRule(field: string, rule: JsonObject, causes: Causes): void {
  const host = stringAt(rule, 'host') ?? ''
  if (isIP(host) !== 0) causes.invalid(`${field}.host`, host, 'must be a DNS name, not an IP address')
  if (host !== '') checkHost(`${field}.host`, host, causes)
  const http = objectAt(rule, 'http')
  if (http === undefined) return
  const paths = objectsAt(http, 'paths')
  if (paths.length === 0) causes.required(`${field}.http.paths`)
  for (const [i, path] of paths.entries()) checkPath(`${field}.http.paths[${i}]`, path, causes)
}

function checkHost(field: string, host: string, causes: Causes): void {
  if (!host.includes('*')) return causes.invalid(field, host, ...subdomainProblems(host))
  if (!wildcard.test(host)) causes.invalid(field, host, wildcardMessage)
}

function checkPath(field: string, of: JsonObject, causes: Causes): void {
  const [type, path] = [stringAt(of, 'pathType'), stringAt(of, 'path') ?? '']
  if (type === undefined) return causes.required(`${field}.pathType`, 'pathType must be specified')
  if (!pathTypes.includes(type)) causes.unsupported(`${field}.pathType`, type, pathTypes)
  else {
    const isFree = type === 'ImplementationSpecific'
    if (!path.startsWith('/') && !(isFree && path === '')) {
      causes.invalid(`${field}.path`, path, 'must be an absolute path')
    }
    if (!isFree) {
      const found = badSequences.filter(one => path.includes(one)).map(one => `must not contain '${one}'`)
      const ends = badEnds.filter(one => path.endsWith(one)).map(one => `cannot end with '${one}'`)
      causes.invalid(`${field}.path`, path, ...found, ...ends)
    }
  }
  checkBackend(`${field}.backend`, objectAt(of, 'backend') ?? {}, causes)
}

function checkBackend(field: string, backend: JsonObject, causes: Causes): void {
  const [resource, service] = [objectAt(backend, 'resource'), objectAt(backend, 'service')]
  if (resource !== undefined && service !== undefined) {
    return causes.invalid(field, '', 'cannot set both resource and service backends')
  }
  if (resource !== undefined) {
    for (const name of ['kind', 'name']) {
      if ((stringAt(resource, name) ?? '') === '') causes.required(`${field}.resource.${name}`)
    }
  } else if (service !== undefined) checkServiceBackend(field, service, causes)
  else causes.invalid(field, '', 'resource or service backend is required')
}

function checkServiceBackend(field: string, service: JsonObject, causes: Causes): void {
  const name = stringAt(service, 'name') ?? ''
  if (name === '') causes.required(`${field}.service.name`)
  else causes.invalid(`${field}.service.name`, name, ...dnsLabelProblems(name))
  const port = objectAt(service, 'port') ?? {}
  const [portName, number] = [stringAt(port, 'name') ?? '', own(port, 'number') ?? 0]
  if (portName !== '' && number !== 0) causes.invalid(field, '', 'cannot set both port name & port number')
  else if (portName !== '') checkPortName(`${field}.service.port.name`, portName, causes)
  else if (number !== 0) checkPortNumber(`${field}.service.port.number`, number, causes)
  else causes.required(field, 'port name or number is required')
}
