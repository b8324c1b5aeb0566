import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import stableStringify from 'fast-json-stable-stringify'
import { canonicalize as jsonCanonicalize } from 'json-canonicalize'
import objectHash from 'object-hash'

const sha256 = (text: string): string => hash('sha256', text, 'base64url')

/** The libraries that are used most for this, each as its documentation has it, with the fastest SHA-256 of Node's. */
export const libraries: Readonly<Record<string, (object: object) => string>> = {
  'json-canonicalize': object => sha256(jsonCanonicalize(object)),
  canonicalize: object => sha256(canonicalize(object) as string),
  'fast-json-stable-stringify': object => sha256(stableStringify(object)),
  'object-hash': object => objectHash(object, { algorithm: 'sha256', encoding: 'base64' }),
}
