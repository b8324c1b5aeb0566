export type { Condition, Conditions } from './conditions.ts'
export { defineCustomResource } from './definition/define.ts'
export type {
  CustomResourceOptions,
  OtherVersionOptions,
  PrintColumn,
  ScalePaths,
  VersionOptions,
} from './definition/options.ts'
export type { CustomResource, NamesOf, ObjectOf, Typed, WrittenOf } from './definition/types.ts'
export { definitionYaml, isCurrentYaml } from './definition/yaml.ts'
export type {
  CommonPolicyOptions,
  MutatingPolicyOptions,
  PolicyMutation,
  PolicyParams,
  PolicyValidation,
  ValidatingPolicyOptions,
} from './policy/options.ts'
export { type MutatingPolicy, policy, type ValidatingPolicy } from './policy/policy.ts'
export type { Duration, IntOrString, int, int64, Quantity, Timestamp } from './scalars.ts'
export type { AnySchema, StandardSchema } from './schema/from-standard.ts'
export type { JsonSchema, StructuralSchema } from './schema/json-schema.ts'
export type { SchemaProblem } from './schema/problem.ts'
export { type StructuralOptions, schemaProblems, structuralSchema } from './schema/structural.ts'
