import {
  dnsLabelProblems,
  isObject,
  type Json,
  type JsonObject,
  labelValueProblems,
  objectsAt,
  own,
  qualifiedNameProblems,
  stringAt,
  stringsAt,
  subdomainProblems,
} from '@wherry/cel/internal'
import type { KubeObject } from '../../objects/object.ts'
import { canonicalIpProblems, domainProblems, endpointProblems, ipProblems, versionOf } from './addresses.ts'
import type { Causes, Check } from './causes.ts'
import { checkPortNumber, protocols } from './ports.ts'
import {
  always,
  atMost,
  checkOf,
  chosen,
  each,
  fields,
  free,
  freeIfGiven,
  isNone,
  maybe,
  type Rule,
  requiredByTag,
  unique,
} from './rules.ts'

const address = fields({
  ip: always(ipProblems),
  hostname: free(dnsLabelProblems),
  nodeName: freeIfGiven(subdomainProblems),
  // A real server checks the address twice.
  '': (at, of, causes) => {
    const ip = stringAt(of as JsonObject, 'ip') ?? ''
    causes.invalid(`${at}.ip`, ip, ...endpointProblems(ip))
  },
})
const port = fields({
  name: free(dnsLabelProblems),
  port: (at, value, causes) => checkPortNumber(at, value, causes),
  protocol: chosen(...protocols),
  appProtocol: freeIfGiven(qualifiedNameProblems),
})

const checkNamed: Rule = (at, ports, causes) => {
  if (!Array.isArray(ports) || ports.length < 2) return
  for (const [i, one] of (ports as Json[]).entries()) {
    if (isObject(one) && isNone(one.name)) causes.required(`${at}[${i}].name`)
  }
}

export const checkEndpoints: Check = checkOf({
  subsets: each(
    (at, subset, causes) => {
      if (!isObject(subset) || !isNone(subset.addresses) || !isNone(subset.notReadyAddresses)) return
      causes.required(at, 'must specify `addresses` or `notReadyAddresses`')
    },
    fields({ addresses: each(address), notReadyAddresses: each(address), ports: [checkNamed, each(port)] }),
  ),
})

const addressTypes = ['FQDN', 'IPv4', 'IPv6']
const maxEndpoints = 1000

export const checkEndpointSlice: Check = (slice, causes) => {
  checkSlice(slice, causes)
  checkTargets(slice, causes)
}

const checkSlice: Check = checkOf({
  addressType: (at, type, causes) => causes.last.chosen(at, type, addressTypes),
  ports: [
    atMost(20_000),
    each(fields({ name: free(dnsLabelProblems) })),
    unique('name'),
    each(fields({ protocol: maybe(...protocols), appProtocol: freeIfGiven(qualifiedNameProblems) })),
  ],
})

const hints = (name: string, problems: (text: string) => readonly string[]): readonly Rule[] => [
  atMost(8),
  unique(name),
  each(fields({ [name]: always(problems) })),
]

const target = fields({
  addresses: [requiredByTag, (at, list, causes, of) => atMost(100)(at, list, causes.last, of)],
  nodeName: freeIfGiven(subdomainProblems),
  hostname: freeIfGiven(dnsLabelProblems),
  'hints.forZones': hints('name', labelValueProblems),
  'hints.forNodes': hints('name', subdomainProblems),
})

/** The versions of the IP addresses of a slice, by its type. */
const versions: Readonly<Record<string, number>> = { IPv4: 4, IPv6: 6 }

function checkTargets(slice: KubeObject, causes: Causes): void {
  const [type, endpoints] = [stringAt(slice, 'addressType') ?? '', objectsAt(slice, 'endpoints')]
  if (endpoints.length > maxEndpoints) return causes.tooMany('endpoints', endpoints.length, maxEndpoints)
  each(target)('endpoints', slice.endpoints as Json, causes, slice)
  for (const [i, one] of endpoints.entries()) {
    for (const [j, text] of stringsAt(one, 'addresses').entries()) {
      checkAddress(`endpoints[${i}].addresses`, j, text, type, causes)
    }
  }
}

function checkAddress(list: string, i: number, text: string, type: string, causes: Causes): void {
  const at = `${list}[${i}]`
  if (type === 'FQDN') {
    if (text === '') causes.required(at)
    else causes.invalid(at, text, ...domainProblems(text))
  }
  const version = own(versions, type)
  if (version === undefined) return
  const problems = type === 'IPv4' ? ipProblems(text) : canonicalIpProblems(text)
  if (problems.length > 0) return causes.invalid(at, text, ...problems)
  if (versionOf(text) !== version) causes.invalid(list, text, `must be an ${type} address`)
  causes.invalid(at, text, ...endpointProblems(text))
}

/** Drops the topology of endpoints, which no client can write any more. */
export function dropTopology(slice: KubeObject): void {
  const endpoints = objectsAt(slice, 'endpoints')
  if (!endpoints.some(one => 'deprecatedTopology' in one)) return
  slice.endpoints = endpoints.map(({ deprecatedTopology: _, ...endpoint }) => endpoint)
}
