/** Any Kubernetes object, as far as a generator must know it: plain JSON with a name. */
export interface KubeObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta
  readonly [field: string]: unknown
}

/** The metadata that generated objects carry. No resourceVersion: that is the server's to give. */
export interface ObjectMeta {
  readonly name: string
  readonly namespace?: string | undefined
  readonly uid?: string | undefined
  readonly creationTimestamp?: string | undefined
  readonly generation?: number | undefined
  readonly labels?: Readonly<Record<string, string>> | undefined
  readonly annotations?: Readonly<Record<string, string>> | undefined
  readonly managedFields?: readonly ManagedFieldsEntry[] | undefined
  readonly [field: string]: unknown
}

/** One entry of `metadata.managedFields`. */
export interface ManagedFieldsEntry {
  readonly manager: string
  readonly operation: 'Update' | 'Apply'
  readonly apiVersion: string
  readonly time: string
  readonly fieldsType: 'FieldsV1'
  readonly fieldsV1: Readonly<Record<string, unknown>>
  readonly subresource?: string | undefined
}

/** Bytes of `value` as compact JSON in UTF-8: what a server sends of it. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
