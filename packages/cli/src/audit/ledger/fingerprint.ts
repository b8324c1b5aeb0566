/** A number that stands for an object's namespace and name: a hash of 53 bits, and never 0. Of a million objects, two are the same once in 18,000 audits. */
export type Fingerprint = number

/** Returns the fingerprint of an object. It takes a tenth of the memory of the text, and no other part of the name is kept. */
export function fingerprintOf(object: { readonly namespace: string; readonly name: string }): Fingerprint {
  let low = 0xdeadbeef
  let high = 0x41c6ce57
  const add = (text: string): void => {
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      low = Math.imul(low ^ unit, 0x9e3779b1)
      high = Math.imul(high ^ unit, 0x5f356495)
    }
  }
  add(object.namespace)
  // No name has a slash.
  add('/')
  add(object.name)
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35)
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35)
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0) || 1
}
