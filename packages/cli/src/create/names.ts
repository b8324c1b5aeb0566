import { wrongUsage } from '../failure.ts'
import { pluralOf } from '../interface/plural.ts'
import { type CodeNames, codeNames } from './code-names.ts'

/** The form in which the sources of a project describe its kind. */
export type SchemaKind = 'interface' | 'zod'

/** The choices for a new project. */
export interface ProjectStyle {
  readonly schema: SchemaKind
  readonly hasWebhook: boolean
}

/** The names of a project and of its resource. */
export interface ProjectNames {
  /** Of the folder, the package, the operator and its manifests. */
  readonly name: string
  readonly group: string
  /** `Game` */
  readonly kind: string
  /** `game`: the name of its file and of its controller. */
  readonly singular: string
  /** `games` */
  readonly plural: string
  /** The names of the kind in the sources: the kind's own name, if all sources can declare it. */
  readonly code: CodeNames
}

/** @throws CommandFailure for a name that an API server, or npm, does not take */
export function projectNames(name: string, group: string, kind: string): ProjectNames {
  if (!/^[a-z]([-a-z0-9]{0,51}[a-z0-9])?$/.test(name))
    throw wrongUsage(`${name}: the name of an operator is of a to z, 0 to 9 and -, up to 53, and begins with a letter`)
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/.test(group) || group.length > 200)
    throw wrongUsage(`--group ${group}: a group is a domain of yours, such as arcade.example.com`)
  if (!/^[A-Z][A-Za-z0-9]{0,62}$/.test(kind)) throw wrongUsage(`--kind ${kind}: a kind is a name such as Game`)
  const singular = kind.toLowerCase()
  const plural = pluralOf(singular)
  if (plural.length > 63 || `${plural}.${group}`.length > 253)
    throw wrongUsage(
      `--kind ${kind}: ${plural}.${group} is too long: up to 63 characters before the group, and 253 in all`,
    )
  return { name, group, kind, singular, plural, code: codeNames(kind, singular, plural) }
}
