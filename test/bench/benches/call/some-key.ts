import { configMaps } from '@wherry/data/config-maps'

/** The key of one object that the server was filled with: the first one, whatever its number. */
export function someKey(): { readonly namespace: string; readonly name: string } {
  for (const { metadata } of configMaps({ count: 1, seed: 1 })) return metadata
  throw new Error('no object was generated')
}
