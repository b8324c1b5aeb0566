import { readYaml, YamlError } from '@wherry/crd/internal'
import { isRecord } from '../definition/shape.ts'
import { oneLine } from '../one-line.ts'

/** The maximum number of lost rights that are named. The others are counted. */
const mostNamed = 20

/**
 * The rights that the roles of the old text grant and the roles of the new text do not, each as a line: `patch configmaps`. Rights disappear if tests
 * record fewer requests, for example because they fail, and the cluster then refuses requests of the operator.
 */
export function lostRights(before: string, now: string): readonly string[] {
  const kept = new Set(rightsIn(now))
  const lost = [...new Set(rightsIn(before))].filter(right => !kept.has(right))
  const more = lost.length - mostNamed
  return more > 0 ? [...lost.slice(0, mostNamed), `and ${more} more`] : lost
}

/** Each right of each role as a text. Roles of another form grant nothing, because a server refuses them. */
function rightsIn(text: string): string[] {
  let documents: readonly unknown[]
  try {
    documents = readYaml(text) as readonly unknown[]
  } catch (error) {
    if (error instanceof YamlError) return []
    throw error
  }
  return documents.filter(isRecord).flatMap(({ kind, metadata, rules }) => {
    if ((kind !== 'Role' && kind !== 'ClusterRole') || !Array.isArray(rules)) return []
    const namespace = isRecord(metadata) ? metadata.namespace : undefined
    const place = typeof namespace === 'string' ? ` in ${namespace}` : ''
    return rules.filter(isRecord).flatMap(rule => rightsOf(rule).map(right => oneLine(`${right}${place}`)))
  })
}

function rightsOf(rule: Readonly<Record<string, unknown>>): string[] {
  const textsOf = (field: string): readonly string[] => [rule[field]].flat().filter(one => typeof one === 'string')
  const targets = [
    ...textsOf('nonResourceURLs'),
    ...textsOf('apiGroups').flatMap(group => textsOf('resources').map(resource => nameOf(resource, group))),
  ]
  const names = rule.resourceNames === undefined ? [''] : textsOf('resourceNames').map(name => ` ${name}`)
  return textsOf('verbs').flatMap(verb => targets.flatMap(target => names.map(name => `${verb} ${target}${name}`)))
}

/** `games.arcade.example.com/status` */
function nameOf(resource: string, group: string): string {
  if (group === '') return resource
  const [plural, ...subresource] = resource.split('/')
  return [`${plural}.${group}`, ...subresource].join('/')
}
