import { defineResource, type ObjectMeta, type Resource, type View } from '@wherry/client'
import {
  type CustomResourceDefinition,
  customResourceDefinitions,
  type JSONSchemaProps,
} from '@wherry/client/resources/apiextensions'
import type { Conditions } from '@wherry/crd'
import { type Constraint, constraintGroup, enforcementActions } from './constraint.ts'
import { textOf } from './kinds.ts'

/**
 * A policy with parameters. It makes a kind of constraints: its name is the plural of that kind.
 *
 * @group policy.example.com
 * @version v1
 * @cluster
 * @printColumn Ready .status.conditions[?(@.type=="Ready")].status
 * @printColumn Message .status.conditions[?(@.type=="Ready")].message
 */
export interface ConstraintTemplate {
  metadata?: ObjectMeta
  /** @validation `has(self.expression) != has(self.policy)` either expression or policy is needed, and not both */
  spec: {
    /** @pattern `^[A-Z][A-Za-z0-9]*$` */
    kind: string
    /**
     * The schema of `spec.parameters` of its constraints.
     *
     * @preserveUnknownFields
     */
    parameters?: object
    /**
     * CEL, over `object` and `params`; true where the object is as it should be.
     *
     * @maxLength 10000
     */
    expression?: string
    /**
     * What is wrong with an object for which the expression is false.
     *
     * @maxLength 1000
     */
    message?: string
    /**
     * The name of a policy that the program has, written in TypeScript.
     *
     * @maxLength 100
     */
    policy?: string
  }
  status?: {
    /**
     * `Ready`: whether its kind of constraints is served, and its policy can be used.
     */
    conditions?: Conditions
  }
}

export const templates: Resource<ConstraintTemplate, 'cluster'> = defineResource<ConstraintTemplate>({
  group: 'policy.example.com',
  version: 'v1',
  kind: 'ConstraintTemplate',
  plural: 'constrainttemplates',
  namespaced: false,
})

/** The definitions that templates make. */
export const definitions: View<CustomResourceDefinition, 'cluster'> = customResourceDefinitions.within({
  labels: { 'policy.example.com/template': 'true' },
})

export function definitionName(template: string): string {
  return `${template}.${constraintGroup}`
}

/** The kind of a template's constraints, as stores name it. */
export function constraintKind({ spec }: ConstraintTemplate): string {
  return textOf({ group: constraintGroup, kind: spec.kind })
}

/** The kind of a template's constraints. */
export function constraintsOf({ metadata, spec }: ConstraintTemplate): Resource<Constraint, 'cluster'> {
  return defineResource<Constraint>({
    group: constraintGroup,
    version: 'v1',
    kind: spec.kind,
    plural: metadata?.name ?? '',
    namespaced: false,
  })
}

const text: JSONSchemaProps = { type: 'string' }
const namespaces: JSONSchemaProps = {
  type: 'array',
  maxItems: 100,
  items: { type: 'string', maxLength: 63, pattern: '^(\\*|\\*?[a-z0-9-]+\\*?)$' },
}
const labelSelector: JSONSchemaProps = {
  type: 'object',
  properties: {
    matchLabels: { type: 'object', additionalProperties: text },
    matchExpressions: {
      type: 'array',
      items: {
        type: 'object',
        required: ['key', 'operator'],
        properties: { key: text, operator: text, values: { type: 'array', items: text } },
      },
    },
  },
}
const texts = (...names: string[]): Record<string, JSONSchemaProps> =>
  Object.fromEntries(names.map(name => [name, text]))

/** The definition of a template's constraints. */
export function definitionOf({ metadata, spec }: ConstraintTemplate): {
  metadata: { name: string }
  spec: CustomResourceDefinition['spec']
} {
  const plural = metadata?.name ?? ''
  const { kind, parameters = { type: 'object' } } = spec
  const match: JSONSchemaProps = { type: 'object', required: ['group', 'kind'], properties: texts('group', 'kind') }
  const violation: JSONSchemaProps = {
    type: 'object',
    required: ['kind', 'namespace', 'name', 'message'],
    properties: texts('kind', 'namespace', 'name', 'message'),
  }
  const condition: JSONSchemaProps = {
    type: 'object',
    required: ['type', 'status'],
    properties: {
      ...texts('type', 'status', 'reason', 'message', 'lastTransitionTime'),
      observedGeneration: { type: 'integer', format: 'int64' },
    },
  }
  const schema: JSONSchemaProps = {
    type: 'object',
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        required: ['match'],
        properties: {
          match: { type: 'array', maxItems: 100, items: match },
          namespaces,
          excludedNamespaces: namespaces,
          labelSelector,
          enforcementAction: { type: 'string', enum: [...enforcementActions] },
          parameters,
        },
      },
      status: {
        type: 'object',
        properties: {
          totalViolations: { type: 'integer' },
          violations: { type: 'array', items: violation },
          conditions: { type: 'array', items: condition },
        },
      },
    },
  }
  return {
    metadata: { name: definitionName(plural) },
    spec: {
      group: constraintGroup,
      scope: 'Cluster',
      names: { kind, listKind: `${kind}List`, plural, singular: plural },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: schema },
        },
      ],
    },
  }
}
