import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { readYaml, YamlError } from '@wherry/crd/internal'
import { checkFields, isRecord, listOf, record, ShapeError, texts } from '../definition/shape.ts'
import { refused, wrongUsage } from '../failure.ts'
import type { NeededRight } from './needed.ts'

/** A Role or ClusterRole of the user's own. */
interface HandRole {
  readonly kind: string
  readonly metadata?: { readonly namespace?: string }
  readonly rules?: readonly {
    readonly verbs: readonly string[]
    readonly apiGroups?: readonly string[]
    readonly resources?: readonly string[]
    readonly resourceNames?: readonly string[]
  }[]
}

/** Reads files with roles that the user writes, and returns a test of whether their rules grant a right. */
export async function grantedByHand(files: readonly string[], cwd: string): Promise<(right: NeededRight) => boolean> {
  const roles = (await Promise.all(files.map(file => rolesIn(file, cwd)))).flat()
  return ({ verb, group, resource, namespace, name }) =>
    roles.some(({ kind, metadata, rules = [] }) => {
      if (resource === undefined || (kind === 'Role' && metadata?.namespace !== namespace)) return false
      return rules.some(
        ({ verbs, apiGroups = [], resources = [], resourceNames = [] }) =>
          has(verbs, verb) &&
          has(apiGroups, group ?? '') &&
          has(resources, resource) &&
          (resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name))),
      )
    })
}

function has(all: readonly string[], one: string): boolean {
  return all.includes('*') || all.includes(one)
}

async function rolesIn(file: string, cwd: string): Promise<readonly HandRole[]> {
  const text = await readFile(resolve(cwd, file), 'utf8').catch(() => {
    throw wrongUsage(`--granted: ${file} can't be read`)
  })
  try {
    const roles = readYaml(text)
      .flatMap(one => (isRecord(one) && Array.isArray(one.items) ? (one.items as readonly unknown[]) : [one]))
      .filter(isRecord)
      .filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole')
      .map(checkedRole)
    if (roles.length > 0) return roles
  } catch (error) {
    if (error instanceof YamlError || error instanceof ShapeError)
      throw refused(`--granted: ${file}: ${error.message}`, error)
    throw error
  }
  throw refused(`--granted: ${file} has no Role and no ClusterRole`)
}

/** Checks that a role has a form that a server accepts. Throws a `ShapeError`. */
function checkedRole(role: Readonly<Record<string, unknown>>): HandRole {
  const { rules, ...rest } = role
  checkFields(role, { metadata: record }, '')
  // A role without rules may have `rules: null`.
  if (rules === undefined || rules === null) return rest as unknown as HandRole
  checkFields(role, { rules: listOf(record) }, '')
  for (const [at, rule] of (rules as readonly Readonly<Record<string, unknown>>[]).entries()) {
    const path = `rules[${at}]`
    if (!Object.hasOwn(rule, 'verbs')) throw new ShapeError(path, 'it has no verbs')
    checkFields(rule, { verbs: texts, apiGroups: texts, resources: texts, resourceNames: texts }, path)
  }
  return role as unknown as HandRole
}
