import { definitionRuleProblems } from '@wherry/cel/internal/evaluator'
import { defineResource, OptionTypeError } from '@wherry/client'
import type { StructuralSchema } from '../schema/json-schema.ts'
import { problemsError } from '../schema/problem.ts'
import { structuralSchema } from '../schema/structural.ts'
import { assembleDefinition, type VersionParts } from './assemble.ts'
import type { CustomResourceOptions, OtherVersionOptions, VersionOptions } from './options.ts'
import type { CustomResource } from './types.ts'

/**
 * Defines a custom resource once: its CustomResourceDefinition, the view of its objects and, by `ObjectOf` and `WrittenOf`, their types.
 *
 * Call it in a file of its own that tools and tests import. An operator imports only types from that file, so that the schema library is not loaded in
 * production.
 *
 * @throws OptionTypeError with the path of each part that the server would refuse, or that would be lost
 * @throws InvalidNameError for a name that can't be part of a path
 *
 * @example
 * ```ts
 * import { defineCustomResource, type ObjectOf } from '@wherry/crd'
 * import { z } from 'zod'
 *
 * const game = defineCustomResource({
 *   ...{ group: 'arcade.example.com', version: 'v1', kind: 'Game', plural: 'games', namespaced: true },
 *   spec: z.object({ players: z.int().min(1).default(2) }),
 * })
 * export type Game = ObjectOf<typeof game>
 * export default game
 * ```
 */
export function defineCustomResource<const O extends CustomResourceOptions>(options: O): CustomResource<O> {
  const { group, version, kind, plural, namespaced, listKind, versions = {} } = options
  const { shortNames, categories, annotations } = options
  const names = { group, kind, plural, namespaced, listKind }
  const resource = defineResource<{ metadata?: object }>({ ...names, version })
  if (!/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(group))
    throw new OptionTypeError('group', 'a domain with a dot: arcade.example.com', JSON.stringify(group))
  if (version in versions)
    throw new OptionTypeError(
      'versions',
      `versions other than '${version}', which is described outside`,
      `'${version}' too`,
    )
  const others = Object.entries(versions).map(([name, one]) => partsOf(name, one, false))
  const definition = assembleDefinition({ ...names, shortNames, categories, annotations }, [
    partsOf(version, options, true),
    ...others,
  ])
  return { definition, resource, options } as unknown as CustomResource<O>
}

function partsOf(name: string, options: VersionOptions & Partial<OtherVersionOptions>, storage: boolean): VersionParts {
  const { spec, status } = options
  const prefix = storage ? '' : `versions.${name}.`
  const schema = objectSchema(
    structuralSchema(spec, { path: `${prefix}spec` }),
    status && structuralSchema(status, { path: `${prefix}status` }),
    options,
  )
  checkRules(schema, prefix)
  return { ...options, name, storage, schema, hasStatus: status !== undefined, prefix }
}

/** Throws if a server would refuse the expression of a rule. */
function checkRules(schema: StructuralSchema, prefix: string): void {
  const problems = definitionRuleProblems({ ...schema }).map(({ path, part, message }) =>
    path === ''
      ? { path: `${prefix}${part.replace('x-kubernetes-', '')}`, message }
      : { path: `${prefix}${path}`, message: `${part}: ${message}` },
  )
  if (problems.length > 0) throw problemsError(problems)
}

function objectSchema(
  spec: StructuralSchema,
  status: StructuralSchema | undefined,
  options: VersionOptions,
): StructuralSchema {
  const { validations, description } = options
  const text = { type: 'string' }
  return {
    ...(description !== undefined && { description }),
    type: 'object',
    properties: { apiVersion: text, kind: text, metadata: { type: 'object' }, spec, ...(status && { status }) },
    ...(spec.default === undefined && { required: ['spec'] }),
    ...(validations && { 'x-kubernetes-validations': [...validations] }),
  }
}
