import { Command } from 'commander'
import { wrongUsage } from '../failure.ts'
import type { CommandHost } from '../host.ts'
import type { CrdOptions } from './crd.ts'

const examples = `
Examples:
  wherry crd src/game.ts                               print the definitions of its interfaces with the tag @group
  wherry crd src/game.crd.ts                           print the definitions that it exports
  wherry crd src/*.crd.ts --out deploy/crd             write a file for each definition
  wherry crd src/policies.ts --out deploy/crd          write a file for each policy that it exports, with its binding
  wherry crd src/game.ts --out deploy/crd --watch      write them again whenever a file changes, until Ctrl+C
  wherry crd src/*.crd.ts --out deploy/crd --check     in CI: fail if one of these files is stale
  wherry crd src/game.ts --diff cluster                before an upgrade: is the change safe for the objects in the cluster?
  kubectl kustomize deploy | wherry crd src/game.ts --diff -    what is applied has the conversions of deploy/kustomization.yaml
  wherry crd src/game.ts --diff cluster:staging        the same for the kubeconfig's context "staging"
  git show main:deploy/crd/games.example.com.yaml | wherry crd src/game.ts --diff -

--diff says of each change whether it breaks stored objects, breaks clients or is safe, and what to do.

Exit status: 0 done; 1 a file is stale, what it says is refused, or a change is not safe; 2 wrong usage, or the old definition can't be read.`

/** `wherry crd`: writes CustomResourceDefinitions and admission policies. */
export function crdCommand(host: CommandHost): Command {
  return new Command('crd')
    .description(
      'Writes the CustomResourceDefinitions of TypeScript files: of interfaces with the tag @group, or what defineCustomResource made; and the admission policies that policy made.',
    )
    .argument('<file...>', 'files with interfaces, which are read; or modules, which Node runs as they are')
    .option(
      '--out <folder>',
      'write <plural>.<group>.yaml, and <name>.policy.yaml for a policy, to this folder (default: print all to stdout)',
    )
    .option('--check', 'write nothing, and fail if a file in --out is stale or missing')
    .option(
      '--watch',
      'write the files in --out again whenever a file with interfaces, or one that it imports, changes',
    )
    .option(
      '--diff <old>',
      'write nothing, and fail if a change from the old definition is not safe: a file, - for the standard input, cluster, or cluster:CONTEXT',
    )
    .option(
      '--kustomization <file>',
      'with --diff: the kustomization with the patches that have the conversions (default: deploy/kustomization.yaml, if it is there)',
    )
    .option('--json', 'print a JSON document for each object, or with --diff for each change, on a line of its own')
    .addHelpText('after', examples)
    .action(async (files: readonly string[], options: CrdOptions) => {
      checkOptions(options)
      const { crd } = await import('./crd.ts')
      await crd(files, options, host)
    })
}

function checkOptions({ out, check, watch, diff, kustomization }: CrdOptions): void {
  if (kustomization !== undefined && diff === undefined) throw wrongUsage('--kustomization needs --diff')
  if (diff !== undefined && (out !== undefined || check || watch))
    throw wrongUsage('--diff writes and checks no files: take it without --out, --check and --watch')
  if (check && out === undefined) throw wrongUsage('--check needs --out, the folder of the files to check')
  if (watch && out === undefined) throw wrongUsage('--watch needs --out, the folder of the files to write')
  if (watch && check) throw wrongUsage('--watch writes files, and --check writes none: take one of them')
}
