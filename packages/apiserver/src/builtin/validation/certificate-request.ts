import { createPublicKey, verify } from 'node:crypto'
import { dnsLabelProblems, type Json, objectAt, objectsAt, stringAt, subdomainProblems } from '@wherry/cel/internal'
import type { Check } from './causes.ts'
import { between, checkOf, each, maybe, type Rule, required, unique } from './rules.ts'

const usages = [
  ...['any', 'cert sign', 'client auth', 'code signing', 'content commitment', 'crl sign', 'data encipherment'],
  ...['decipher only', 'digital signature', 'email protection', 'encipher only', 'ipsec end system', 'ipsec tunnel'],
  ...['ipsec user', 'key agreement', 'key encipherment', 'microsoft sgc', 'netscape sgc', 'ocsp signing', 's/mime'],
  ...['server auth', 'signing', 'timestamping'],
]
const shortest = 'may not specify a duration less than 600 seconds (10 minutes)'
const decided = ['Approved', 'Denied', 'Failed']

const checkSigner: Rule = (at, value, causes) => {
  const name = typeof value === 'string' ? value : ''
  if (name === '') return causes.required(at)
  if (name === 'kubernetes.io/legacy-unknown') {
    return causes.invalid(at, name, 'the legacy signerName is not allowed via this API version')
  }
  const [domain = '', path = '', ...more] = name.split('/')
  if (!name.includes('/') || more.length > 0) {
    const why = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
    return causes.invalid(at, name, why)
  }
  if (domain.length > 253) causes.tooLong(at, 253)
  const labels = domain.split('.')
  const inLabel = (text: string, problems: (label: string) => string[]): string[] => {
    const bad = text.split('.').find(label => problems(label).length > 0)
    return bad === undefined ? [] : problems(bad).map(why => `validating label ${JSON.stringify(bad)}: ${why}`)
  }
  causes.invalid(at, domain, ...inLabel(domain, dnsLabelProblems))
  if (labels.length < 2) causes.invalid(at, domain, 'should be a domain with at least two segments separated by dots')
  causes.invalid(at, path, ...inLabel(path, subdomainProblems))
  if (name.length > 571) causes.tooLong(at, 571)
}

const checkRequest: Rule = (at, value, causes) => {
  const request = typeof value === 'string' ? value : ''
  const problem = requestProblem(Buffer.from(request, 'base64').toString('latin1'))
  if (problem !== undefined) causes.invalid(at, request === '' ? null : request, problem)
}

/** Checks a request for a certificate. */
export const checkCertificateRequest: Check = checkOf({
  'spec.request': checkRequest,
  'spec.usages': [required(), each(maybe(...usages)), unique('')],
  'spec.signerName': checkSigner,
  'spec.expirationSeconds': between(600, Number.POSITIVE_INFINITY, shortest),
})

/** Checks the conditions of a request for a certificate. */
export const checkRequestStatus: Check = (request, causes) => {
  const seen = new Set<Json>()
  for (const [i, one] of objectsAt(objectAt(request, 'status'), 'conditions').entries()) {
    const at = `status.conditions[${i}]`
    const [type, status] = [stringAt(one, 'type') ?? '', stringAt(one, 'status') ?? '']
    if (type === '') causes.required(`${at}.type`)
    causes.chosen(`${at}.status`, status, decided.includes(type) ? ['True'] : ['False', 'True', 'Unknown'])
    if (seen.has(type)) causes.duplicate(`${at}.type`, type)
    seen.add(type)
  }
  if (!seen.has('Approved') || !seen.has('Denied')) return
  const both = ['Approved', 'Denied'].map(type => `conditions[{"type": "${type}"}]`)
  const why = `must specify at most one of: ${both.map(type => `\`${type}\``).join(', ')}`
  causes.last.invalid('status.conditions', `{${both.join(', ')}}`, why)
}

/** The reason for which a text in PEM form is not a request that its own key has signed; `undefined` if it is. A signature of an unknown algorithm is not verified. */
function requestProblem(pem: string): string | undefined {
  const block = /^-----BEGIN ([^\n]*)-----\s*\n([A-Za-z0-9+/=\s]*?)\n?-----END \1-----/m.exec(pem)
  if (block?.[1] !== 'CERTIFICATE REQUEST') return 'PEM block type must be CERTIFICATE REQUEST'
  try {
    const [info, algorithm, signature] = partsOf(Buffer.from(block[2] as string, 'base64'))
    const [, , key] = partsOf(info as Buffer)
    const publicKey = createPublicKey({ key: key as Buffer, format: 'der', type: 'spki' })
    const hash = hashes[(partsOf(algorithm as Buffer)[0] as Buffer).toString('hex')]
    // The first byte of a bit string is the number of its unused bits.
    if (hash === undefined || verify(hash, info as Buffer, publicKey, contentOf(signature as Buffer).subarray(1)))
      return
    return unverified[publicKey.asymmetricKeyType ?? ''] ?? 'x509: unsupported key'
  } catch {
    return 'asn1: structure error: not a certificate request'
  }
}

/** Go's error for a signature that another key has made, by the type of the key. */
const unverified: Readonly<Record<string, string>> = {
  ec: 'x509: ECDSA verification failure',
  rsa: 'crypto/rsa: verification error',
  ed25519: 'x509: Ed25519 verification failure',
}

/** The elements within an element in DER, each with its tag and its length. */
function partsOf(element: Buffer): Buffer[] {
  const parts: Buffer[] = []
  for (let rest = contentOf(element); rest.length > 0; rest = rest.subarray(parts.at(-1)?.length)) {
    const { header, length } = sizesOf(rest)
    if (header + length > rest.length) throw new Error('an element is longer than the element that contains it')
    parts.push(rest.subarray(0, header + length))
  }
  return parts
}

function contentOf(element: Buffer): Buffer {
  const { header, length } = sizesOf(element)
  return element.subarray(header, header + length)
}

function sizesOf(element: Buffer): { readonly header: number; readonly length: number } {
  const first = element.readUInt8(1)
  if (first < 128) return { header: 2, length: first }
  return { header: 2 + (first & 127), length: element.readUIntBE(2, first & 127) }
}

/** The hashes of signatures, by the signatures' algorithms. `null` is for an algorithm that contains its hash. */
const hashes: Readonly<Record<string, string | null>> = {
  '06092a864886f70d01010b': 'sha256',
  '06092a864886f70d01010c': 'sha384',
  '06092a864886f70d01010d': 'sha512',
  '06082a8648ce3d040302': 'sha256',
  '06082a8648ce3d040303': 'sha384',
  '06082a8648ce3d040304': 'sha512',
  '06032b6570': null,
}
