import { Command } from 'commander'
import { definitionsIn } from '../definitions-in.ts'
import { refused, wrongUsage } from '../failure.ts'
import type { CommandHost } from '../host.ts'
import { OutFolder } from '../out-folder.ts'
import { StaleFiles } from '../renewal.ts'

interface Options {
  readonly out?: string
  readonly check?: true
}

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
    .action((files: readonly string[], options: Options) => types(files, options, host))
}

async function types(files: readonly string[], { out, check }: Options, host: CommandHost): Promise<void> {
  if (check && out === undefined) throw wrongUsage('--check needs --out, the folder of the files to check')
  const { interfacesOf } = await import('./interfaces.ts')
  const written = new Map<string, string>()
  for (const file of files)
    for (const definition of await definitionsIn(file, host)) {
      const name = `${definition.spec.names.kind.toLowerCase()}.ts`
      const made = interfacesOf(definition)
      if ((written.get(name) ?? made) !== made) throw refused(`two kinds have the name ${definition.spec.names.kind}`)
      written.set(name, made)
    }
  if (out === undefined) {
    host.stdout.write([...written.values()].join('\n'))
    return
  }
  const folder = new OutFolder(out, host.cwd)
  let areCurrent = true
  for (const [name, made] of written) {
    const found = await folder.read(name)
    const state = found === undefined ? 'missing' : (await isCurrent(found, made)) ? 'current' : 'stale'
    if (check) areCurrent &&= state === 'current'
    else if (state !== 'current') await folder.write(name, made)
    host.stdout.write(`${folder.shown(name)}: ${check || state === 'current' ? state : 'written'}\n`)
  }
  if (!areCurrent) throw new StaleFiles(['types', ...files, '--out', out])
}

/** Whether a file is current. The compiler takes half a second to load, so it is loaded only for files that differ. */
async function isCurrent(found: string, made: string): Promise<boolean> {
  return found === made || (await import('./current.ts')).isCurrentTypes(found, made)
}
