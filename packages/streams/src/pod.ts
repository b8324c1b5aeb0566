import type { Client, RequestInfo } from '@wherry/client'
import { checkedKey, keyText, objectPath, resourceName } from '@wherry/client/internal'
import { pods } from '@wherry/client/resources/core'

/** The name and the namespace of a pod. */
export interface PodKey {
  readonly name: string
  /** @default the client's namespace */
  readonly namespace?: string | undefined
}

/** A request for a subresource of a pod. */
export interface PodRequest {
  /** The path with the query. */
  readonly path: string
  readonly about: RequestInfo
}

type Value = string | number | boolean | undefined

/** @param query the parameters; an `undefined` one is left out, and one with a list comes once for each item */
export function podRequest(
  client: Client,
  key: PodKey,
  subresource: 'attach' | 'exec' | 'log' | 'portforward',
  query: Readonly<Record<string, Value | readonly string[]>>,
): PodRequest {
  const checked = podKey(client, key)
  const { resource } = pods
  const path = objectPath(resource, checked, subresource)
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value].flat()) if (each !== undefined) parameters.append(name, String(each))
  }
  const about = { method: 'GET', path, resource: resourceName(resource), key: keyText(checked) }
  return { path: parameters.size === 0 ? path : `${path}?${parameters}`, about }
}

/** Checks the key of a pod, and completes its namespace. */
export function podKey(client: Client, key: PodKey): { readonly namespace: string; readonly name: string } {
  const { namespace = '', name } = checkedKey(pods, key, client.namespace)
  return { namespace, name }
}
