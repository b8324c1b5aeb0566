import { pathToFileURL } from 'node:url'
import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
import type { MutatingPolicy, ValidatingPolicy } from '@wherry/crd'
import { isPolicyKind } from '../definition/policy-kinds.ts'
import { refused } from '../failure.ts'

/** A policy and its binding: the result of `policy` of `@wherry/crd`. */
export type Policy = ValidatingPolicy | MutatingPolicy

/** The definitions and policies that a module exports, under any names. */
export interface Exported {
  /** The results of `defineCustomResource`. */
  readonly definitions: readonly CustomResourceDefinition[]
  /** The results of `policy`. */
  readonly policies: readonly Policy[]
}

/**
 * The definitions and the policies that a module exports. Node runs TypeScript as it is.
 *
 * @param file an absolute path
 * @param shown the path as the user wrote it
 * @throws CommandFailure if the module can't be loaded, has neither, or exports a policy without its binding
 */
export async function exportedFrom(file: string, shown: string): Promise<Exported> {
  let module: Readonly<Record<string, unknown>>
  try {
    module = await import(/* @vite-ignore */ pathToFileURL(file).href)
  } catch (error) {
    throw refused(`${shown} can't be loaded: ${(error as Error).message}`, error)
  }
  const values = [...new Set(Object.values(module))]
  const definitions = new Set(values.map(definitionOf))
  const policies = values.filter(isPolicy)
  const whole = new Set(policies.flatMap<unknown>(({ policy, binding }) => [policy, binding]))
  for (const [name, value] of Object.entries(module))
    if (isPolicyKind(Object(value).kind) && !whole.has(value))
      throw refused(
        `${shown} exports ${name}, a ${Object(value).kind} alone: export what policy returns, which has the policy and its binding`,
      )
  const found = [...definitions].filter(one => one !== undefined)
  if (found.length + policies.length > 0) return { definitions: found, policies }
  throw refused(
    `${shown} has no definition and no policy. Give an interface the tag @group, or export what defineCustomResource or policy returns.`,
  )
}

function definitionOf(exported: unknown): CustomResourceDefinition | undefined {
  const { definition } = Object(exported) as { definition?: Partial<CustomResourceDefinition> }
  return definition?.kind === 'CustomResourceDefinition' ? (definition as CustomResourceDefinition) : undefined
}

function isPolicy(exported: unknown): exported is Policy {
  const { policy, binding } = Object(exported) as { policy?: { kind?: unknown }; binding?: { kind?: unknown } }
  return isPolicyKind(policy?.kind) && binding?.kind === `${policy?.kind}Binding`
}
