import { isIP } from 'node:net'
import { type JsonObject, own, stringAt, stringsAt } from '@wherry/cel/internal'
import type { StatusCause } from '../../status.ts'
import { ipProblems } from './addresses.ts'
import { Causes } from './causes.ts'

const families = ['IPv4', 'IPv6']
const policies = ['PreferDualStack', 'RequireDualStack', 'SingleStack']

/** The problems of the addresses that a Service asks for, and of their families. A real server reports them alone, before all other problems. */
export function addressProblems(spec: JsonObject): readonly StatusCause[] {
  const causes = new Causes()
  const [ip, ips, given] = [
    stringAt(spec, 'clusterIP') ?? '',
    stringsAt(spec, 'clusterIPs'),
    stringsAt(spec, 'ipFamilies'),
  ]
  const at = 'spec.clusterIPs'
  if (ip !== '' && ips.length > 0 && ips[0] !== ip) causes.invalid(at, ips, 'first value must match `clusterIP`')
  if (ip === '' && ips.length > 0) causes.invalid(at, ips, 'must be empty when `clusterIP` is not specified')
  for (const [i, family] of given.entries()) {
    if (!families.includes(family)) causes.unsupported(`spec.ipFamilies[${i}]`, family, families)
    if (given.indexOf(family) < i) causes.duplicate(`spec.ipFamilies[${i}]`, family)
  }
  const policy = own(spec, 'ipFamilyPolicy')
  if (policy !== undefined && !policies.includes(policy as string)) {
    causes.unsupported('spec.ipFamilyPolicy', policy, policies)
  }
  let isBad = false
  for (const [i, one] of ips.entries()) {
    if (i === 0 && one === 'None') {
      if (ips.length === 1) continue
      isBad = true
      causes.invalid(at, ips, "'None' must be the first and only value")
      continue
    }
    const problems = ipProblems(one)
    isBad ||= problems.length > 0
    causes.invalid(`${at}[${i}]`, one, ...problems)
  }
  if (ips.length > 2) causes.invalid(at, ips, 'may only hold up to 2 values')
  if (isBad) return causes.all
  if (ips.length > 1 && new Set(ips.map(isIP)).size < 2) {
    causes.invalid(at, ips, 'may specify no more than one IP for each IP family')
  }
  for (const [i, one] of ip === 'None' ? [] : ips.entries()) {
    const family = given[i]
    if (family === undefined || family === `IPv${isIP(one)}` || !families.includes(family)) continue
    causes.invalid(`${at}[${i}]`, one, `expected an ${family} value as indicated by \`ipFamilies[${i}]\``)
  }
  return causes.all
}
