import { PackedValues } from './store/packed/packed-values.ts'
import type { Packing } from './store/packing.ts'

export type { Packing } from './store/packing.ts'

/**
 * Keeps values in a compact form outside the V8 heap, and makes an object anew for each that is read, listed, or told of (rule
 * T5): what the option `packed` of an informer, a transform cache and a dynamic cache takes.
 *
 * ```ts
 * import { packed } from '@wherry/informer/packed'
 * const informer = new Informer({ client, view: configMaps.metadata(), packed })
 * ```
 */
export const packed: Packing = { open: freeze => new PackedValues(freeze) }
