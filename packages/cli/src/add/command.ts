import { Argument, Command } from 'commander'
import type { CommandHost } from '../host.ts'

interface Options {
  readonly for: string
  readonly mutate?: true
  readonly program: string
}

const examples = `
Examples:
  wherry add webhook player-limit --for Game             refuses what is wrong
  wherry add webhook owner --for Game --mutate           changes objects before they are stored

Exit status: 0 done; 1 a file is there already, or no source declares the kind; 2 wrong usage.`

/** `wherry add`: writes more files to a project. */
export function addCommand(host: CommandHost): Command {
  return new Command('add')
    .description(
      'Writes a webhook with a handler and its test to a project, adds it to the program, and @wherry/webhook to package.json.',
    )
    .addArgument(new Argument('<what>', 'what to add').choices(['webhook']))
    .argument('<name>', 'its name, such as player-limit')
    .requiredOption('--for <Kind>', 'the kind of the objects, which a source declares with defineResource')
    .option('--mutate', 'a webhook that changes objects (default: one that refuses them)')
    .option('--program <file>', 'the program of the operator', 'src/main.ts')
    .addHelpText('after', examples)
    .action(async (_what: string, name: string, { for: kind, mutate, program }: Options) => {
      const { addWebhook } = await import('./webhook.ts')
      await addWebhook({ name, kind, mutates: mutate === true, program }, host)
    })
}
