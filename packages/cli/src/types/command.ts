import { Command } from 'commander'
import { wrongUsage } from '../failure.ts'
import type { CommandHost } from '../host.ts'
import type { TypesOptions } from './types.ts'

const examples = `
Examples:
  wherry types deploy/crd/games.yaml                   print the interfaces of the definitions in this file
  kubectl get crd games.example.com -o yaml | wherry types -
  wherry types vendor/*.yaml --out src/types           write a file for each kind
  wherry types vendor/*.yaml --out src/types --check   in CI: fail if one of these files is stale

Exit status: 0 done; 1 a file is stale, or what it says is refused; 2 wrong usage.`

/** `wherry types`: writes the interfaces of CustomResourceDefinitions. */
export function typesCommand(host: CommandHost): Command {
  return new Command('types')
    .description(
      'Writes TypeScript interfaces for CustomResourceDefinitions. `wherry crd` makes the definitions from them again.',
    )
    .argument('<file...>', 'YAML or JSON; - is the standard input')
    .option('--out <folder>', 'write <kind>.ts to this folder (default: print all to stdout)')
    .option('--check', 'write nothing, and fail if a file in --out is stale or missing')
    .addHelpText('after', examples)
    .action(async (files: readonly string[], options: TypesOptions) => {
      if (options.check && options.out === undefined)
        throw wrongUsage('--check needs --out, the folder of the files to check')
      const { types } = await import('./types.ts')
      await types(files, options, host)
    })
}
