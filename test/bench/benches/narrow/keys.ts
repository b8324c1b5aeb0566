import { configMaps } from '@wherry/data/config-maps'

/** Of the first objects that the server was filled with. */
export function keys(count: number): { readonly namespace: string; readonly name: string }[] {
  const all = [...configMaps({ count, seed: 1 })]
  return all.map(({ metadata: { namespace, name } }) => ({ namespace, name }))
}
