import { Command } from 'commander'
import type { CommandHost } from '../host.ts'
import type { ConvertOptions } from './convert.ts'

const examples = `
Examples:
  wherry convert src/conversion.ts --check cluster               before an upgrade: can all stored objects be converted?
  wherry convert src/conversion.ts --check cluster:staging       the same for the kubeconfig's context "staging"
  wherry convert src/conversion.ts --check objects.yaml          the objects of a file, such as kubectl get games -A -o yaml writes
  wherry convert src/conversion.ts --check - --loses spec.color  a field that may get lost

Each object is converted to each other version and back. Nothing is written.

Exit status: 0 all objects can be converted, and come back as they were; 1 one can't, or loses something; 2 wrong usage, or the objects can't be read.`

/** `wherry convert`: tries the conversions of an operator on stored objects. */
export function convertCommand(host: CommandHost): Command {
  return new Command('convert')
    .description('Tries the conversions that modules export on all objects of a cluster or a file, and writes nothing.')
    .argument('<file...>', 'modules that export what new Conversion(hub) of @wherry/webhook returns')
    .requiredOption('--check <objects>', 'the objects: cluster, cluster:CONTEXT, a file, or - for the standard input')
    .option('--loses <path...>', 'fields that may get lost in another version, such as spec.color')
    .option('--json', 'print a JSON document for each finding, on a line of its own')
    .addHelpText('after', examples)
    .action(async (files: readonly string[], options: ConvertOptions) => {
      const { convert } = await import('./convert.ts')
      await convert(files, options, host)
    })
}
