import { describe, expect, it } from 'vitest'
import { canonicalIpProblems, cidrProblems, domainProblems, endpointProblems, ipProblems } from './addresses.ts'

// A real server's words for these are compared in test/differential.
describe('addresses', () => {
  it.for(['10.0.0.1', '2001:db8::1', '::'])('F1: %s is an IP address', text => {
    expect(ipProblems(text)).toEqual([])
  })

  it.for(['', 'x', '10.0.0', '010.0.0.1', 'fe80::1%eth0', '::ffff:10.0.0.1', '10.0.0.1/8'])('F1: %j is none', text => {
    expect(ipProblems(text).length).toBe(1)
  })

  it('F1: must be canonical where a real server wants that', () => {
    expect(canonicalIpProblems('2001:DB8:0::1')).toEqual(['must be in canonical form ("2001:db8::1")'])
    expect(canonicalIpProblems('2001:db8::1')).toEqual([])
    expect(canonicalIpProblems('10.0.0.1')).toEqual([])
  })

  it.for([
    ['0.0.0.0', 'unspecified'],
    ['::', 'unspecified'],
    ['127.1.2.3', 'loopback'],
    ['::1', 'loopback'],
    ['169.254.0.1', 'link-local range'],
    ['febf::1', 'link-local range'],
    ['224.0.0.1', 'multicast'],
    ['ff02::1', 'multicast'],
    ['x', 'valid IP address'],
  ] as const)('F1: %s is no address of an endpoint: %s', ([ip, why]) => {
    const problems = endpointProblems(ip)
    expect(problems.length).toBe(1)
    expect(problems[0]).toContain(why)
  })

  it.for(['10.1.2.3', '2001:db8::1', '::1:1', 'fec0::1', '224.0.1.1'])('F1: %s may be that of an endpoint', ip => {
    expect(endpointProblems(ip)).toEqual([])
  })

  it.for([
    ['10.0.0.0/8', undefined],
    ['0.0.0.0/0', undefined],
    ['10.1.2.3/32', undefined],
    ['fd00::/64', undefined],
    ['10.0.0.1/8', 'bits set'],
    ['fd00::1:0:0:0:1/64', 'bits set'],
    ['::ffff:10.0.0.0/104', 'IPv4-mapped'],
    ['10.0.0.0/33', 'valid CIDR'],
    ['10.0.0.0', 'valid CIDR'],
    ['10.0.0.0/8/8', 'valid CIDR'],
  ] as const)('F1: of the block %s is said: %s', ([text, why]) => {
    const problems = cidrProblems(text)
    expect(problems.length).toBe(why === undefined ? 0 : 1)
    if (why !== undefined) expect(problems[0]).toContain(why)
  })

  it.for([
    ['a.b', true],
    ['a.b.', true],
    ['a', false],
    ['A.b', false],
    [`${'a'.repeat(64)}.b`, false],
  ] as const)('F1: that %s is a domain name is %s', ([text, is]) => {
    expect(domainProblems(text).length === 0).toBe(is)
  })
})
