import type { KubernetesObject } from '@wherry/client'
import type { OwnPolicy } from './policies.ts'

interface Pod extends KubernetesObject {
  readonly spec?: {
    readonly containers?: readonly {
      readonly name: string
      readonly resources?: { readonly limits?: Readonly<Record<string, string>> } | null
    }[]
  }
}

const units: Readonly<Record<string, number>> = {
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
}

/** The containers of a pod may use at most so many MiB of memory together: `parameters: { maxMemoryMi: 512 }`. */
const memoryLimits: OwnPolicy = {
  decide(object, { params }) {
    const { maxMemoryMi = Number.POSITIVE_INFINITY } = (params ?? {}) as { maxMemoryMi?: number }
    const { containers = [] } = (object as Pod).spec ?? {}
    const unlimited = containers.filter(one => one.resources?.limits?.memory === undefined).map(one => one.name)
    if (unlimited.length > 0) return `no limit of memory: ${unlimited.join(', ')}`
    const bytes = containers.reduce((sum, one) => sum + bytesIn(`${one.resources?.limits?.memory}`), 0)
    const found = Math.ceil(bytes / 2 ** 20)
    return found <= maxMemoryMi ? undefined : `its limits of memory are ${found} MiB together, more than ${maxMemoryMi}`
  },
}

/** @throws RangeError for a value that is no quantity: then that is the violation of the pod */
function bytesIn(quantity: string): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)(k|M|G|T|Ki|Mi|Gi|Ti)?$/.exec(quantity) ?? []
  if (number === undefined) throw new RangeError(`the limit ${quantity} is not understood`)
  return Number(number) * (units[unit] ?? 1)
}

/** Policies in TypeScript, by the names that templates use: for rules that are hard to say in CEL. */
export const ownPolicies: Readonly<Record<string, OwnPolicy>> = { memoryLimits }
