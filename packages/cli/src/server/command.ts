import { Command } from 'commander'
import { CommandFailure } from '../failure.ts'
import type { CommandHost } from '../host.ts'
import { portOf } from './port.ts'

interface Options {
  readonly port: number
  readonly kubeconfig: string
  readonly crd: string
  readonly rbac?: true
}

const examples = `
Examples:
  wherry server                                a server until Ctrl+C
  KUBECONFIG=.wherry/kubeconfig kubectl get namespaces
  wherry server --port 6443 --rbac             at this port, and with the rights of roles
  wherry server -- pytest                      run a command with a server of its own, and end with its status

Exit status: 0 done; 1 the server can't start, or a definition is refused; 2 wrong usage; or the status of the command.`

/** `wherry server`: an embedded API server by itself, for tests in any language and for trying things. */
export function serverCommand(host: CommandHost): Command {
  return new Command('server')
    .description(
      'Runs the API server of @wherry/testing, which forgets everything when it ends, with the definitions of the project.',
    )
    .argument('[command...]', 'run this command, with KUBECONFIG set, and end when it ends (default: until Ctrl+C)')
    .option('--port <number>', 'listen on this port of 127.0.0.1 (default: a free one)', portOf, 0)
    .option(
      '--kubeconfig <file>',
      'write the kubeconfig of its administrator there, while it runs',
      '.wherry/kubeconfig',
    )
    .option('--crd <folder>', 'create the definitions in this folder, if there is one', 'deploy/crd')
    .option('--rbac', 'refuse what roles do not grant (default: everybody may do everything)')
    .passThroughOptions()
    .addHelpText('after', examples)
    .action(async (command: readonly string[], { port, kubeconfig, crd, rbac }: Options) => {
      const { serve } = await import('./serve.ts')
      const status = await serve({ port, kubeconfig, crd, isRestricted: rbac === true, command }, host)
      if (status !== 0) throw new CommandFailure('', status)
    })
}
