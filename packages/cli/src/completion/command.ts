import { Argument, Command } from 'commander'
import type { CommandHost } from '../host.ts'
import { completed } from './completed.ts'
import { bashScript, fishScript, zshScript } from './scripts.ts'

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript }

const examples = `
Examples:
  source <(wherry completion bash)                     in ~/.bashrc
  source <(wherry completion zsh)                      in ~/.zshrc, after compinit
  wherry completion fish | source                      in ~/.config/fish/config.fish`

/** `wherry completion`: prints what a shell needs to complete the command lines of `program`. */
export function completionCommand(host: CommandHost, program: Command): Command {
  return new Command('completion')
    .description('Prints a script that makes a shell complete commands, options and files.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(scripts)))
    .addHelpText('after', examples)
    .action((shell: keyof typeof scripts) => void host.stdout.write(scripts[shell](completed(program))))
}
