import { Command } from 'commander'
import { CommandFailure } from '../failure.ts'
import type { CommandHost } from '../host.ts'
import { addFault, type PlannedFault } from './fault-option.ts'
import { portOf } from './port.ts'

interface Options {
  readonly port: number
  readonly kubeconfig: string
  readonly crd: string
  readonly rbac?: true
  readonly fault: readonly PlannedFault[]
}

const examples = `
Examples:
  wherry server                                a server until Ctrl+C
  KUBECONFIG=.wherry/kubeconfig kubectl get namespaces
  wherry server --port 6443 --rbac             at this port, and with the rights of roles
  wherry server -- pytest                      run a command with a server of its own, and end with its status
  wherry server --fault 429,at=5s,for=15s -- node main.js
                                               the same, and from 5 s on every request gets a 429 for 15 s

Faults, each with its settings after commas:
  reset,at=5s                                  all connections break
  restart,at=5s                                the server restarts
  410,at=5s[,resource=pods]                    open watches end, and get a 410 next
  429 or another status from 400 to 599        requests get this status [,at= ,for= ,times= ,retry=SECONDS ,verb= ,resource= ,namespace=]
  latency,by=200ms                             answers come so much later [,at= ,for= ,times= ,verb= ,resource= ,namespace=]

Exit status: 0 done; 1 the server can't start, or a definition is refused; 2 wrong usage; or the status of the command.`

/** `wherry server`: an embedded API server by itself, for tests in any language and for trying things. */
export function serverCommand(host: CommandHost): Command {
  return new Command('server')
    .description(
      'Runs the API server of @wherry/apiserver, which forgets everything when it ends, with the definitions of the project.',
    )
    .argument('[command...]', 'run this command, with KUBECONFIG set, and end when it ends (default: until Ctrl+C)')
    .option('--port <number>', 'listen on this port of 127.0.0.1 (default: a free one)', portOf, 0)
    .option(
      '--kubeconfig <file>',
      'write the kubeconfig of its administrator there, while it runs',
      '.wherry/kubeconfig',
    )
    .option('--crd <folder>', 'create the definitions in this folder, if there is one', 'deploy/crd')
    .option('--fault <fault>', 'what goes wrong, and when; can be given several times (below)', addFault, [])
    .option('--rbac', 'refuse what roles do not grant (default: everybody may do everything)')
    .passThroughOptions()
    .addHelpText('after', examples)
    .action(async (command: readonly string[], { port, kubeconfig, crd, rbac, fault: faults }: Options) => {
      const { serve } = await import('./serve.ts')
      const status = await serve({ port, kubeconfig, crd, isRestricted: rbac === true, faults, command }, host)
      if (status !== 0) throw new CommandFailure('', status)
    })
}
