import { BlockList, isIP } from 'node:net'
import { type JsonObject, objectAt, objectsAt, own, stringAt, stringsAt } from '@wherry/cel/internal'
import type { Causes, Check } from './causes.ts'
import { checkSelector } from './label-selector.ts'
import { checkPort, checkPortNumber } from './ports.ts'

export const checkNetworkPolicy: Check = (policy, causes) => {
  const spec = objectAt(policy, 'spec') ?? {}
  checkSelector('spec.podSelector', objectAt(spec, 'podSelector'), causes)
  for (const [direction, side] of [
    ['ingress', 'from'],
    ['egress', 'to'],
  ] as const) {
    for (const [i, rule] of objectsAt(spec, direction).entries()) {
      const at = `spec.${direction}[${i}]`
      for (const [j, port] of objectsAt(rule, 'ports').entries()) checkPolicyPort(`${at}.ports[${j}]`, port, causes)
      for (const [j, peer] of objectsAt(rule, side).entries()) checkPeer(`${at}.${side}[${j}]`, peer, causes)
    }
  }
  const types = stringsAt(spec, 'policyTypes')
  if (types.length > 2) return causes.invalid('spec.policyTypes', types, 'may not specify more than two policyTypes')
  for (const [i, type] of types.entries()) {
    const known = ['Ingress', 'Egress']
    if (!known.includes(type)) causes.unsupported(`spec.policyTypes[${i}]`, type, known)
  }
}

function checkPolicyPort(field: string, of: JsonObject, causes: Causes): void {
  const [protocol, port, last] = [stringAt(of, 'protocol'), own(of, 'port'), own(of, 'endPort')]
  const known = ['TCP', 'UDP', 'SCTP']
  if (protocol !== undefined && !known.includes(protocol)) causes.unsupported(`${field}.protocol`, protocol, known)
  if (typeof port === 'number') {
    checkPortNumber(`${field}.port`, port, causes)
    if (last === undefined) return
    if ((last as number) < port) causes.invalid(`${field}.endPort`, last, 'must be greater than or equal to `port`')
    checkPortNumber(`${field}.endPort`, last, causes)
    return
  }
  if (last !== undefined) {
    const why = port === undefined ? 'is not specified' : 'is non-numeric'
    causes.invalid(`${field}.endPort`, last, `may not be specified when \`port\` ${why}`)
  }
  if (port !== undefined) checkPort(`${field}.port`, port, causes)
}

function checkPeer(field: string, peer: JsonObject, causes: Causes): void {
  const selectors = ['podSelector', 'namespaceSelector'].filter(name => own(peer, name) !== undefined)
  for (const name of selectors) checkSelector(`${field}.${name}`, objectAt(peer, name), causes)
  const block = objectAt(peer, 'ipBlock')
  if (block !== undefined) checkBlock(`${field}.ipBlock`, block, causes)
  if (selectors.length === 0 && block === undefined) causes.required(field, 'must specify a peer')
  else if (selectors.length > 0 && block !== undefined) {
    causes.forbidden(field, 'may not specify both ipBlock and another peer')
  }
}

const badBlock = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'

function checkBlock(field: string, block: JsonObject, causes: Causes): void {
  const cidr = stringAt(block, 'cidr') ?? ''
  if (cidr === '') return causes.last.required(`${field}.cidr`)
  const whole = blockOf(cidr)
  if (whole === undefined) return causes.invalid(`${field}.cidr`, cidr, badBlock)
  for (const [i, text] of stringsAt(block, 'except').entries()) {
    const part = blockOf(text)
    if (part === undefined) causes.invalid(`${field}.except[${i}]`, text, badBlock)
    else if (part.bits <= whole.bits || !whole.list.check(part.address, part.family)) {
      causes.invalid(`${field}.except[${i}]`, text, 'must be a strict subset of `cidr`')
    }
  }
}

interface Block {
  readonly address: string
  readonly family: 'ipv4' | 'ipv6'
  readonly bits: number
  readonly list: BlockList
}

function blockOf(text: string): Block | undefined {
  const [address = '', length = '', ...more] = text.split('/')
  const bits = Number(length)
  if (isIP(address) === 0 || more.length > 0 || !/^\d+$/.test(length)) return undefined
  if (bits > (isIP(address) === 4 ? 32 : 128)) return undefined
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6'
  const list = new BlockList()
  list.addSubnet(address, bits, family)
  return { address, family, bits, list }
}
