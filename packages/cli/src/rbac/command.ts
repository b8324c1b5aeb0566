import { Command } from 'commander'
import { wrongUsage } from '../failure.ts'
import type { CommandHost } from '../host.ts'
import { addRightsOptions, type RightsOptions, rightsArguments, rightsHelp } from './rights-options.ts'

interface Options extends RightsOptions {
  readonly name: string
  readonly out?: string
  readonly check?: true
}

const examples = `
Examples:
  wherry rbac                                          print the roles that grant what the tests used
  wherry rbac src/main.ts --name game                  and what the program declares
  wherry rbac src/main.ts --name game --out deploy     write deploy/game.rbac.yaml
  wherry rbac --name game --out deploy --check         in CI: fail if this file is stale
  wherry rbac --fixed-name configmaps                  grant these by the names that the tests used
${rightsHelp}

Exit status: 0 done; 1 the file is stale, no rights are recorded, or with --strict a declared right was not used; 2 wrong usage.`

/** `wherry rbac`: writes the roles that grant what an operator declares and its tests used. */
export function rbacCommand(host: CommandHost): Command {
  const command = new Command('rbac').description(
    'Writes the Role and ClusterRole that grant what an operator declares, and what its tests used, as recordRights of @wherry/testing wrote it.',
  )
  return addRightsOptions(command)
    .option('--name <name>', 'the name of the roles', 'operator')
    .option('--out <folder>', 'write <name>.rbac.yaml to this folder (default: print to stdout)')
    .option('--check', 'write nothing, and fail if the file in --out is stale or missing')
    .addHelpText('after', examples)
    .action((program: string | undefined, options: Options) => rbac(program, options, host))
}

async function rbac(program: string | undefined, options: Options, host: CommandHost): Promise<void> {
  const { name, out, check } = options
  if (check && out === undefined) throw wrongUsage('--check needs --out, the folder of the file to check')
  const [{ operatorRoles }, { rolesYaml }, { writeFiles }, { lostRights }] = await Promise.all([
    import('./operator-roles.ts'),
    import('./role-yaml.ts'),
    import('../written.ts'),
    import('./lost-rights.ts'),
  ])
  const { roles } = await operatorRoles(program, name, options, host)
  const made = rolesYaml(roles, name)
  if (out === undefined) {
    host.stdout.write(made)
    return
  }
  const renewedBy = ['rbac', ...rightsArguments(program, options), '--name', name, '--out', out]
  await writeFiles({ [`${name}.rbac.yaml`]: made }, { out, isCheck: check === true, renewedBy, lostRights }, host)
}
