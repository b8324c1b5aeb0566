import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Command } from 'commander'
import { CommandFailure, wrongUsage } from '../failure.ts'
import type { CommandHost } from '../host.ts'
import { renewal } from '../renewal.ts'
import { recordedRights, type SeenRight } from './recorded.ts'
import { rolesYaml } from './role-yaml.ts'
import { neededRoles, withoutSubresource } from './roles.ts'

interface Options {
  readonly name: string
  readonly out?: string
  readonly check?: true
  readonly fixedName?: readonly string[]
  readonly anyName?: readonly string[]
}

const examples = `
Examples:
  wherry rbac                                           print the roles that grant what the tests used
  wherry rbac --name game --out deploy                  write deploy/game.rbac.yaml
  wherry rbac --name game --out deploy --check          in CI: fail if this file is stale
  wherry rbac --fixed-name leases configmaps            grant these by the names that the tests used

A resource that is only listed and watched by name is granted by these names, unless --any-name says otherwise.

Exit status: 0 done; 1 the file is stale, or no rights are recorded; 2 wrong usage.`

/** `wherry rbac`: writes the roles that grant what the tests of an operator used. */
export function rbacCommand(host: CommandHost): Command {
  return new Command('rbac')
    .description(
      'Writes the Role and ClusterRole that grant what tests used, as recordRights of @wherry/testing wrote it.',
    )
    .argument('[folder]', 'the folder of the recorded rights', '.wherry/rights')
    .option('--name <name>', 'the name of the roles', 'operator')
    .option('--out <folder>', 'write <name>.rbac.yaml to this folder (default: print to stdout)')
    .option('--check', 'write nothing, and fail if the file in --out is stale or missing')
    .option('--fixed-name <resource...>', 'the names that the tests used are those of every cluster')
    .option('--any-name <resource...>', 'names come from other objects, also if the resource is only watched by name')
    .addHelpText('after', examples)
    .action((folder: string, options: Options) => rbac(folder, options, host))
}

async function rbac(folder: string, options: Options, host: CommandHost): Promise<void> {
  const { name, out, check, fixedName: fixed = [], anyName: any = [] } = options
  if (check && out === undefined) throw wrongUsage('--check needs --out, the folder of the file to check')
  const both = fixed.find(resource => any.includes(resource))
  if (both !== undefined) throw wrongUsage(`--fixed-name and --any-name both name ${both}: take one of them`)
  const seen = await recordedRights(folder, host.cwd)
  checkSeen([...fixed, ...any], seen)
  const made = rolesYaml(neededRoles(seen, { fixed, any }), name)
  if (out === undefined) {
    host.stdout.write(made)
    return
  }
  const file = join(out, `${name}.rbac.yaml`)
  const path = resolve(host.cwd, file)
  const found = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  const state = found === undefined ? 'missing' : found === made ? 'current' : 'stale'
  const isToWrite = state !== 'current' && !check
  if (isToWrite) {
    await mkdir(resolve(host.cwd, out), { recursive: true })
    await writeFile(path, made)
  }
  host.stdout.write(`${file}: ${isToWrite ? 'written' : state}\n`)
  if (!check || state === 'current') return
  const names = (option: string, list: readonly string[]): string[] => (list.length === 0 ? [] : [option, ...list])
  const choice = [...names('--fixed-name', fixed), ...names('--any-name', any)]
  throw new CommandFailure(renewal(['rbac', folder, '--name', name, '--out', out, ...choice]), 1)
}

/** A misspelt resource would grant too much or too little without a word. */
function checkSeen(resources: readonly string[], seen: readonly SeenRight[]): void {
  const known = new Set(seen.map(({ resource = '' }) => withoutSubresource(resource)))
  const unknown = resources.find(resource => !known.has(resource))
  if (unknown !== undefined) throw wrongUsage(`no test used ${unknown}, so it has no names`)
}
