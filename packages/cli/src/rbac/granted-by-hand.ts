import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseAllDocuments } from 'yaml'
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

/** Reads files with roles that the user writes, and returns whether one of their rules grants a right. */
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
  const documents = parseAllDocuments(text).map(one => one.toJS() as HandRole | null)
  const roles = documents.filter(one => one?.kind === 'Role' || one?.kind === 'ClusterRole') as HandRole[]
  if (roles.length === 0) throw refused(`--granted: ${file} has no Role and no ClusterRole`)
  return roles
}
