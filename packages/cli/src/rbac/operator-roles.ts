import { CommandFailure, wrongUsage } from '../failure.ts'
import type { CommandHost } from '../host.ts'
import { type DeclaredProgram, declaredBy } from '../program/declared.ts'
import { grantedByHand } from './granted-by-hand.ts'
import { seenWithGrants, withDecidedGrants } from './granting.ts'
import { neededRights, withoutSubresource } from './needed.ts'
import { neverSeen } from './never-seen.ts'
import { recordedRights, type SeenRight } from './recorded.ts'
import type { RightsOptions } from './rights-options.ts'
import { type NeededRole, neededRoles, type UndecidedNames, undecidedNames } from './roles.ts'

/** The roles of an operator, and the declaration of its program. */
export interface OperatorRoles {
  /** The operator's own namespace. `undefined`: without a program and without `--namespace`. */
  readonly namespace: string | undefined
  readonly roles: readonly NeededRole[]
  readonly program: DeclaredProgram | undefined
}

/** Makes the roles. Prints the declared rights that no test used to stderr. */
export async function operatorRoles(
  program: string | undefined,
  name: string | undefined,
  options: RightsOptions,
  host: CommandHost,
): Promise<OperatorRoles> {
  const { rights, crd, own = [], fixedName: fixed = [], anyName: any = [], granted = [], granting, strict } = options
  const both = fixed.find(resource => any.includes(resource))
  if (both !== undefined) throw wrongUsage(`--fixed-name and --any-name both name ${both}: take one of them`)
  const recorded = await recordedRights(rights, host)
  if (granting !== undefined && recorded.every(({ grants }) => grants === undefined))
    throw wrongUsage('--granting: no test granted a right to others')
  const seen = seenWithGrants(recorded, granting)
  checkUsed([...own, ...fixed, ...any], seen)
  const namespace = options.namespace ?? (program === undefined ? undefined : (name ?? 'operator'))
  const declared =
    program === undefined ? undefined : await declaredBy(program, { namespace: namespace ?? '', crd }, host)
  const isGranted = await grantedByHand(granted, host.cwd)
  const all = neededRights(seen, declared, { namespace, own })
  const needed = withDecidedGrants(all, isGranted).filter(right => !isGranted(right))
  const undecided = undecidedNames(needed, declared?.declaration.rights ?? [], { fixed, any })
  if (undecided.length > 0) throw wrongUsage(undecided.map(question).join('\n'))
  const unseen = neverSeen(declared?.declaration.rights ?? [], seen)
  for (const { by, verb, resource } of unseen)
    host.stderr.write(`wherry: no test used what ${program} declares: ${verb} ${resource} (${by})\n`)
  if (strict && unseen.length > 0) throw new CommandFailure('rights are declared that no test used', 1)
  return { namespace, roles: neededRoles(needed, { fixed, any }), program: declared }
}

function question({ resource, names }: UndecidedNames): string {
  const some = `${names.slice(0, 3).join(', ')}${names.length > 3 ? ', …' : ''}`
  const choices = `--fixed-name ${resource} if these are the names in every cluster, or --any-name ${resource} if they come from other objects`
  return `tests watched ${resource} by name only (${some}): say ${choices}, in the command of your script in package.json`
}

/** Throws if no test used a resource: a misspelt name would have no effect, and the roles would grant too much or too little. */
function checkUsed(resources: readonly string[], seen: readonly SeenRight[]): void {
  const known = new Set(seen.map(({ resource = '' }) => withoutSubresource(resource)))
  const unknown = resources.find(resource => !known.has(resource))
  if (unknown !== undefined) throw wrongUsage(`no test used ${unknown}`)
}
