import { Command } from 'commander'
import { wrongUsage } from '../failure.ts'
import type { CommandHost } from '../host.ts'
import { addRightsOptions, type RightsOptions, rightsArguments, rightsHelp } from '../rbac/rights-options.ts'

interface Options extends RightsOptions {
  readonly name: string
  readonly image?: string
  readonly serviceMonitor?: true
  readonly networkPolicy?: true
  readonly out?: string
  readonly check?: true
}

const examples = `
Examples:
  wherry manifests src/main.ts --name game                               print them
  wherry manifests src/main.ts --name game --out deploy                  write deploy/game.yaml and deploy/kustomization.yaml
  wherry manifests src/main.ts --name game --image example.com/game:1    with this image
  wherry manifests src/main.ts --name game --out deploy --check          in CI: fail if a file is stale
  kubectl apply -k deploy                                                deploy it
${rightsHelp}

Exit status: 0 done; 1 a file is stale, the program is refused, or no rights are recorded; 2 wrong usage.`

/** `wherry manifests`: writes all that an operator is deployed with. */
export function manifestsCommand(host: CommandHost): Command {
  const command = new Command('manifests').description(
    'Writes the Namespace, ServiceAccount, roles and Deployment of an operator, and a kustomization of them and its definitions.',
  )
  return addRightsOptions(command)
    .requiredOption('--name <name>', 'the name of all of it')
    .option('--image <image>', 'the image of the Deployment (default: <name>:latest)')
    .option('--service-monitor', 'a ServiceMonitor for the Prometheus operator, if the program serves metrics')
    .option('--network-policy', 'a NetworkPolicy that lets nothing in but to the ports of health and webhooks')
    .option('--out <folder>', 'write <name>.yaml and kustomization.yaml to this folder (default: print to stdout)')
    .option('--check', 'write nothing, and fail if a file in --out is stale or missing')
    .addHelpText('after', examples)
    .action((program: string | undefined, options: Options) => manifests(program, options, host))
}

async function manifests(program: string | undefined, options: Options, host: CommandHost): Promise<void> {
  const { out, check } = options
  if (check && out === undefined) throw wrongUsage('--check needs --out, the folder of the files to check')
  const [{ manifestFiles }, { writeFiles }, { lostRights }] = await Promise.all([
    import('./files.ts'),
    import('../written.ts'),
    import('../rbac/lost-rights.ts'),
  ])
  const files = await manifestFiles(program, options, host)
  if (out === undefined) {
    host.stdout.write(Object.values(files)[0] ?? '')
    return
  }
  const { name, image, serviceMonitor, networkPolicy } = options
  const renewedBy = [
    'manifests',
    ...rightsArguments(program, options),
    ...['--name', name],
    ...(image === undefined ? [] : ['--image', image]),
    ...(serviceMonitor ? ['--service-monitor'] : []),
    ...(networkPolicy ? ['--network-policy'] : []),
    ...['--out', out],
  ]
  await writeFiles(files, { out, isCheck: check === true, renewedBy, lostRights }, host)
}
