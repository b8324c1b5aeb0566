export type { AnySchema, StandardSchema } from './schema/from-standard.ts'
export type { JsonSchema, StructuralSchema } from './schema/json-schema.ts'
export type { SchemaProblem } from './schema/problem.ts'
export { type StructuralOptions, schemaProblems, structuralSchema } from './schema/structural.ts'
