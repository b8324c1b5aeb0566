import { Command } from 'commander'
import { CommandFailure, wrongUsage } from '../failure.ts'
import type { CommandHost, ExitStatus } from '../host.ts'
import { ownCommands } from './own-commands.ts'

/** Runs a command line of `wherry`. */
export type Run = (args: readonly string[], host: CommandHost) => Promise<ExitStatus>

const examples = `
Example, with these scripts in package.json:
  "crd": "wherry crd src/*.ts --out deploy/crd",
  "manifests": "wherry manifests src/main.ts --name game --out deploy"

  npm test && npx wherry check      in CI: the tests record the rights, and the files must be those that the scripts would write

Exit status: 0 all files are current; 1 one is not; 2 wrong usage.`

/** `wherry check`: fails if a file that the scripts of package.json generate is not current. */
export function checkCommand(host: CommandHost, run: Run): Command {
  return new Command('check')
    .description(
      'Runs each command of wherry in the scripts of package.json that has --out, with --check: nothing is written.',
    )
    .addHelpText('after', examples)
    .action(() => check(host, run))
}

async function check(host: CommandHost, run: Run): Promise<void> {
  const commands = (await ownCommands(host.cwd)).filter(args => args.includes('--out') && !args.includes('--watch'))
  if (commands.length === 0)
    throw wrongUsage('no script of package.json has a command such as wherry crd src/*.ts --out deploy/crd')
  // Two scripts may have the same command.
  const lines = new Map(commands.map(args => [JSON.stringify(args), args]))
  let stale = 0
  let failed = 0
  const onStale = (): void => {
    stale += 1
  }
  for (const args of lines.values()) {
    const status = await run(args.includes('--check') ? args : [...args, '--check'], { ...host, onStale })
    if (status !== 0) failed += 1
  }
  const of = `of ${lines.size} commands`
  const found = [
    ...(stale > 0 ? [`${stale} ${of} found files that are not current`] : []),
    ...(failed > stale ? [`the files of ${failed - stale} ${of} could not be checked`] : []),
  ]
  if (failed > 0) throw new CommandFailure(found.join('; '), 1)
}
