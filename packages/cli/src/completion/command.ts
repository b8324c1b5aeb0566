import { Argument, Command } from 'commander'
import type { CommandHost } from '../host.ts'
import { type Shell, shells } from './completed.ts'

const examples = `
Examples:
  source <(wherry completion bash)                     in ~/.bashrc
  source <(wherry completion zsh)                      in ~/.zshrc, after compinit
  wherry completion fish | source                      in ~/.config/fish/config.fish`

/** `wherry completion`: prints a script by which a shell completes the command lines of `program`. */
export function completionCommand(host: CommandHost, program: Command): Command {
  return new Command('completion')
    .description('Prints a script that makes a shell complete commands, options and files.')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText('after', examples)
    .action(async (shell: Shell) => {
      // Imported here, so that other commands do not load these modules.
      const [{ completed }, { scriptFor }] = await Promise.all([import('./completed.ts'), import('./scripts.ts')])
      host.stdout.write(scriptFor(shell, completed(program)))
    })
}
