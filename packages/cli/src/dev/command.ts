import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command } from 'commander'
import type { CommandHost } from '../host.ts'
import { portOf } from '../server/port.ts'

interface Options {
  readonly port?: number
  readonly page: number
  readonly kubeconfig: string
  readonly crd: string
  readonly keep?: string
  readonly cluster?: true
  readonly yes?: true
}

const examples = `
Examples:
  wherry dev                          run src/main.ts, or main.ts, until Ctrl+C
  KUBECONFIG=.wherry/kubeconfig kubectl apply -f sample.yaml
  wherry dev --keep .wherry/objects   and go on another time with the objects that are there at the end
  wherry dev --cluster                run it against the cluster of the current context; asks first

Exit status: 0 done; 1 the server can't start, or a definition is refused; 2 wrong usage.`

/** `wherry dev`: runs an operator during its development. */
export function devCommand(host: CommandHost): Command {
  return new Command('dev')
    .description(
      'Runs an operator against an API server of its own, starts it again when a file changes, keeps the definitions as the sources have them, and serves a page that shows what it does.',
    )
    .argument('[program]', 'the program of the operator (default: src/main.ts, or main.ts)')
    .option('--port <number>', 'the port of the API server (default: 6443, or a free one if that is in use)', portOf)
    .option('--page <number>', 'the port of the page, if it is free', portOf, 6480)
    .option('--kubeconfig <file>', 'write the kubeconfig of the server there, while it runs', '.wherry/kubeconfig')
    .option('--crd <folder>', 'the folder with the definitions', 'deploy/crd')
    .option('--keep <file>', 'begin with the objects in this file, and write it at the end')
    .option('--cluster', 'use the cluster of the current context, and install nothing there but the definitions')
    .option('--yes', 'with --cluster: do not ask')
    .addHelpText('after', examples)
    .action(async (given: string | undefined, { port, page, kubeconfig, crd, keep, ...more }: Options) => {
      const [{ dev }, { cluster, ownServer }] = await Promise.all([import('./dev.ts'), import('./place.ts')])
      const program = given ?? (existsSync(resolve(host.cwd, 'src/main.ts')) ? 'src/main.ts' : 'main.ts')
      const place = more.cluster
        ? await cluster(crd, more.yes === true, host)
        : await ownServer({ port, kubeconfig, keep, crd }, host)
      await dev({ program, crd, pagePort: page }, place, host)
    })
}
