import type { KubernetesObject } from '@wherry/client'
import { text } from './text.ts'

/** A Secret with one value of `bytes` bytes, as `kubectl create secret generic --from-file` makes it. */
export function secret(namespace: string, name: string, bytes: number, seed: number): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    metadata: { name, namespace },
    // The value is base64 of that many bytes.
    data: { key: text(Math.floor(bytes / 3) * 4, seed) },
  } as KubernetesObject
}
