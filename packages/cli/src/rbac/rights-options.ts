import { type Command, Option } from 'commander'
import { type WayToGrant, waysToGrant } from './granting.ts'

/** The options of commands that make roles. */
export interface RightsOptions {
  readonly rights: string
  readonly crd: string
  readonly namespace?: string
  readonly own?: readonly string[]
  readonly fixedName?: readonly string[]
  readonly anyName?: readonly string[]
  readonly granted?: readonly string[]
  readonly granting?: WayToGrant
  readonly strict?: true
}

/** The help text below the options. */
export const rightsHelp = `
A resource that is only listed and watched by name is granted by these names if a view declares them. Otherwise you say so: --fixed-name if the names
are those of every cluster, --any-name if they come from other objects.

An operator that writes roles or bindings grants rights to others. Unless it has them anyway, you say how it may: --granting hold, and it is granted these
rights itself; or --granting escalate, and it is granted the verbs escalate and bind, with which it can grant any right, also to itself.`

/** Adds the options for the roles. */
export function addRightsOptions(command: Command): Command {
  return command
    .argument('[program]', 'the file that runs the operator: what it declares is granted, too')
    .option('--rights <folder>', 'the folder of the recorded rights', '.wherry/rights')
    .option('--crd <folder>', 'the definitions that the program finds in its cluster', 'deploy/crd')
    .option('--namespace <name>', "the operator's own namespace (default: with a program, the name)")
    .option('--own <resource...>', "used in the operator's own namespace only")
    .option('--fixed-name <resource...>', 'the names that the tests used are those of every cluster')
    .option('--any-name <resource...>', 'names come from other objects, although the resource is only watched by name')
    .option('--granted <file...>', 'leave out what these roles of yours grant')
    .addOption(
      new Option('--granting <way>', 'how it may grant rights by the roles that it writes').choices(waysToGrant),
    )
    .option('--strict', 'fail if a right is declared that no test used')
}

/** The arguments that the user gave for these options, for a command that renews files. */
export function rightsArguments(program: string | undefined, options: RightsOptions): string[] {
  const { rights, crd, namespace, own = [], fixedName = [], anyName = [], granted = [], granting, strict } = options
  const list = (option: string, values: readonly string[]): string[] => (values.length === 0 ? [] : [option, ...values])
  return [
    ...(program === undefined ? [] : [program]),
    ...(rights === '.wherry/rights' ? [] : ['--rights', rights]),
    ...(crd === 'deploy/crd' ? [] : ['--crd', crd]),
    ...(namespace === undefined ? [] : ['--namespace', namespace]),
    ...list('--own', own),
    ...list('--fixed-name', fixedName),
    ...list('--any-name', anyName),
    ...list('--granted', granted),
    ...(granting === undefined ? [] : ['--granting', granting]),
    ...(strict ? ['--strict'] : []),
  ]
}
