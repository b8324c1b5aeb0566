import { plainValue } from '@wherry/crd/internal'
import type { ProjectNames, SchemaKind } from './names.ts'

/** A backtick for Markdown. A template literal can't contain one without an escape. */
const tick = '`'

/** The text that `wherry crd` writes for the schema of a new project. */
export function definition(names: ProjectNames, schema: SchemaKind): string {
  const text = ofInterface(names)
  return schema === 'interface' ? text : differences.reduce((now, [one, other]) => now.replace(one, other), text)
}

/** The replacements that make the definition of a zod schema from that of the interface. They differ in the schema of conditions. */
const differences = [
  [` of a status, as ${tick}metav1.Condition${tick} has it.`, ' of a status.'],
  [`such as ${tick}Ready${tick}.`, 'such as Ready.'],
  [/( +)maxLength: 316\n +pattern: .*/, '$1minLength: 1\n$1maxLength: 316'],
  [/(maxLength: 1024)\n +pattern: .*/, '$1'],
  [`When ${tick}status${tick} changed.`, 'When the status changed.'],
  [`The ${tick}metadata.generation${tick} that`, 'The generation that'],
] as const

/** Quotes a name if YAML would read it as another type, such as `No`. */
const quoted = (name: string): string => (typeof plainValue(name) === 'string' ? name : JSON.stringify(name))

function ofInterface({ group, kind, singular, plural }: ProjectNames): string {
  return String.raw`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: ${plural}.${group}
spec:
  group: ${group}
  scope: Namespaced
  names:
    kind: ${quoted(kind)}
    listKind: ${kind}List
    plural: ${quoted(plural)}
    singular: ${quoted(singular)}
  versions:
    - name: v1alpha1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          description: Makes a ConfigMap with a message.
          type: object
          properties:
            apiVersion:
              type: string
            kind:
              type: string
            metadata:
              type: object
            spec:
              type: object
              properties:
                message:
                  description: What the ConfigMap says.
                  type: string
                  minLength: 1
              required:
                - message
            status:
              type: object
              properties:
                conditions:
                  type: array
                  items:
                    description: A condition of a status, as ${tick}metav1.Condition${tick} has it.
                    type: object
                    properties:
                      type:
                        description: The name of the condition, such as ${tick}Ready${tick}.
                        type: string
                        maxLength: 316
                        pattern: ^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$
                      status:
                        description: Whether it holds.
                        type: string
                        enum:
                          - "True"
                          - "False"
                          - Unknown
                      reason:
                        description: Why, in one CamelCase word, for programs.
                        type: string
                        minLength: 1
                        maxLength: 1024
                        pattern: ^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$
                      message:
                        description: Why, for people.
                        type: string
                        maxLength: 32768
                      lastTransitionTime:
                        description: When ${tick}status${tick} changed.
                        type: string
                        format: date-time
                      observedGeneration:
                        description: The ${tick}metadata.generation${tick} that was acted on.
                        type: integer
                        format: int64
                        minimum: 0
                    required:
                      - type
                      - status
                      - reason
                      - message
                      - lastTransitionTime
                  x-kubernetes-list-type: map
                  x-kubernetes-list-map-keys:
                    - type
          required:
            - spec
      subresources:
        status: {}
`
}
