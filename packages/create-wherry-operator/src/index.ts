import { type CommandHost, type ExitStatus, runCommand } from '@wherry/cli'

/**
 * Writes a new project, as `wherry create` does. Resolves with the exit status. Does not reject for mistakes of the user.
 *
 * @param args the arguments after `npm create wherry-operator`: `['game-operator', '--group', 'arcade.example.com', '--kind', 'Game']`
 */
export function createOperator(args: readonly string[], host: CommandHost): Promise<ExitStatus> {
  return runCommand(['create', ...args], host)
}
