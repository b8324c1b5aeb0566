import { anyObject, anyText, bool, list, map, object, optional, type Shape, text } from './shape.ts'

// A label may be empty.
const labels = optional(map(anyText))
const permissions = optional(list(object({ serviceAccountName: text, rules: list(anyObject) })))

/** Any object of a bundle. */
const manifest = object({
  apiVersion: text,
  kind: text,
  metadata: object({ name: text, namespace: optional(text), labels, annotations: labels }),
})

const clusterServiceVersion = object({
  spec: object({
    version: optional(text),
    installModes: optional(list(object({ type: text, supported: bool }))),
    webhookdefinitions: optional(list(anyObject)),
    apiservicedefinitions: optional(object({ owned: optional(list(anyObject)) })),
    install: optional(
      object({
        strategy: optional(text),
        spec: optional(
          object({
            deployments: optional(list(object({ name: text, label: labels, spec: anyObject }))),
            permissions,
            clusterPermissions: permissions,
          }),
        ),
      }),
    ),
  }),
})

const definition = object({
  spec: object({ conversion: optional(object({ strategy: optional(text) })) }),
})

const byKind: ReadonlyMap<string, Shape> = new Map([
  ['ClusterServiceVersion', clusterServiceVersion],
  ['CustomResourceDefinition', definition],
])

/** Checks all of a manifest that this operator reads. What it only passes on is for the API server to check. @throws Error */
export function checkManifest(value: unknown): void {
  manifest(value, '')
  byKind.get((value as { kind: string }).kind)?.(value, '')
}
