import { readYaml, YamlError } from '@wherry/crd/internal'

/** So many lost rights are named; the others are counted. */
const mostNamed = 20

/**
 * The rights that the roles of one text grant and those of another do not, a line each: `patch configmaps`. Rights disappear if tests record less, for
 * example since they fail or do less than before, and the operator is then refused in the cluster.
 */
export function lostRights(before: string, now: string): readonly string[] {
  const kept = new Set(rightsIn(now))
  const lost = [...new Set(rightsIn(before))].filter(right => !kept.has(right))
  const more = lost.length - mostNamed
  return more > 0 ? [...lost.slice(0, mostNamed), `and ${more} more`] : lost
}

interface Role {
  readonly kind?: unknown
  readonly metadata?: { readonly namespace?: unknown } | null
  readonly rules?: readonly (Rule | null)[] | null
}

interface Rule {
  readonly verbs?: readonly unknown[]
  readonly apiGroups?: readonly unknown[]
  readonly resources?: readonly unknown[]
  readonly resourceNames?: readonly unknown[]
  readonly nonResourceURLs?: readonly unknown[]
}

/** Each right of each role as a text. None of a text that is no YAML: it granted nothing. */
function rightsIn(text: string): string[] {
  let documents: readonly unknown[]
  try {
    documents = readYaml(text) as readonly unknown[]
  } catch (error) {
    if (error instanceof YamlError) return []
    throw error
  }
  return documents.flatMap(document => {
    const { kind, metadata, rules } = (document ?? {}) as Role
    if ((kind !== 'Role' && kind !== 'ClusterRole') || !Array.isArray(rules)) return []
    const place = typeof metadata?.namespace === 'string' ? ` in ${metadata.namespace}` : ''
    return (rules as readonly (Rule | null)[]).flatMap(rule => rightsOf(rule ?? {}).map(right => `${right}${place}`))
  })
}

function rightsOf({ verbs = [], apiGroups = [], resources = [], resourceNames, nonResourceURLs = [] }: Rule): string[] {
  const targets = [
    ...nonResourceURLs.map(String),
    ...apiGroups.flatMap(group => resources.map(resource => nameOf(String(resource), String(group)))),
  ]
  const names = resourceNames === undefined ? [''] : resourceNames.map(name => ` ${name}`)
  return verbs.flatMap(verb => targets.flatMap(target => names.map(name => `${verb} ${target}${name}`)))
}

/** `games.arcade.example.com/status` */
function nameOf(resource: string, group: string): string {
  if (group === '') return resource
  const [plural, ...subresource] = resource.split('/')
  return [`${plural}.${group}`, ...subresource].join('/')
}
