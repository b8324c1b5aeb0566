import type { Resource } from '@wherry/client'
import { type ConfigMap, configMaps } from '@wherry/client/resources/core'

/** Where the API server is. */
export interface ProgramOptions {
  readonly url: string
  readonly ca?: string | undefined
  readonly token: string
}

const of = (role: string): Resource<ConfigMap, 'namespaced'> => configMaps.within({ labels: { role } })

/** What the operator is asked for. */
export const wishes: Resource<ConfigMap, 'namespaced'> = of('wish')
/** What it makes of each. */
export const outputs: Resource<ConfigMap, 'namespaced'> = of('output')
/** What it keeps of each as long as that is there, and takes away by a finalizer. */
export const traces: Resource<ConfigMap, 'namespaced'> = of('trace')

export const finalizer = 'wishes.example.com/trace'
export const outputOf = (wish: string): string => `output-${wish}`
export const traceOf = (wish: string): string => `trace-${wish}`
