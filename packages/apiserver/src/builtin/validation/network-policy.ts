import { type JsonObject, objectAt, objectsAt, own, stringAt, stringsAt } from '@wherry/cel/internal'
import { type Block, blockOf, cidrProblems } from './addresses.ts'
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

function checkBlock(field: string, block: JsonObject, causes: Causes): void {
  const cidr = stringAt(block, 'cidr') ?? ''
  if (cidr === '') return causes.last.required(`${field}.cidr`)
  causes.invalid(`${field}.cidr`, cidr, ...cidrProblems(cidr))
  const whole = blockOf(cidr)
  if (whole === undefined) return
  for (const [i, text] of stringsAt(block, 'except').entries()) {
    const [at, part] = [`${field}.except[${i}]`, blockOf(text)]
    causes.invalid(at, text, ...cidrProblems(text))
    if (part !== undefined && !isStrictlyIn(part, whole)) {
      causes.invalid(at, text, 'must be a strict subset of `cidr`')
    }
  }
}

function isStrictlyIn(part: Block, whole: Block): boolean {
  const common = whole.bits.slice(0, whole.prefix)
  return part.bits.length === whole.bits.length && part.prefix > whole.prefix && part.bits.startsWith(common)
}
