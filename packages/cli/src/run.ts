import { Command, CommanderError } from 'commander'
import { addCommand } from './add/command.ts'
import { auditCommand } from './audit/command.ts'
import { checkCommand } from './check/command.ts'
import { completionCommand } from './completion/command.ts'
import { convertCommand } from './convert/command.ts'
import { crdCommand } from './crd/command.ts'
import { createCommand } from './create/command.ts'
import { devCommand } from './dev/command.ts'
import { CommandFailure, systemFailure } from './failure.ts'
import type { CommandHost, ExitStatus } from './host.ts'
import { manifestsCommand } from './manifests/command.ts'
import { oneLine, printable } from './one-line.ts'
import { rbacCommand } from './rbac/command.ts'
import { StaleFiles } from './renewal.ts'
import { serverCommand } from './server/command.ts'
import { typesCommand } from './types/command.ts'

/**
 * Runs the command line `wherry`, and resolves with its exit status. Results go to stdout, all other text to stderr. Does not reject for mistakes of the
 * user or in a file.
 *
 * @param args the arguments after `wherry`: `['crd', 'src/game.crd.ts']`
 */
export async function runCommand(args: readonly string[], host: CommandHost): Promise<ExitStatus> {
  const program = new Command('wherry')
    .description('The command line of Wherry.')
    .exitOverride()
    .enablePositionalOptions()
    .configureOutput({
      writeOut: text => host.stdout.write(text),
      writeErr: text => host.stderr.write(text),
      outputError: (text, write) => write(`${oneLine(text.trimEnd())}\n`),
    })
    .showHelpAfterError('(wherry --help prints the usage)')
    .addHelpText('after', exitStatuses)
  // `addCommand` does not copy the exit handler and the outputs of the program to a subcommand.
  const commands = [
    createCommand,
    addCommand,
    devCommand,
    crdCommand,
    typesCommand,
    rbacCommand,
    manifestsCommand,
    convertCommand,
    serverCommand,
    auditCommand,
  ].map(make => make(host))
  for (const command of [...commands, checkCommand(host, runCommand), completionCommand(host, program)])
    program.addCommand(command.copyInheritedSettings(program))
  try {
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    const failure = error instanceof CommandFailure ? error : systemFailure(error)
    if (failure === undefined) throw error
    if (failure instanceof StaleFiles) host.onStale?.()
    if (failure.message !== '') host.stderr.write(`wherry: ${printable(failure.message)}\n`)
    return failure.status
  }
}

const exitStatuses = `
Exit status: 0 done; 1 a file is stale, what it says is refused, or a change is not safe; 2 wrong usage.`
