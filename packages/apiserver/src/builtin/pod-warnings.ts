import { dnsLabelProblems, type JsonObject, objectAt, objectsAt, own, sameJson, stringAt } from '@wherry/cel/internal'
import type { KubeObject } from '../objects/object.ts'

/** The warnings about an object that is created, or that replaces `old`. They refuse nothing. */
export type Warnings = (object: KubeObject, old: KubeObject | undefined) => string[]

/** The warnings of a kind that makes Pods of the template at `path`. `unchanged` returns whether an update is not checked. */
export function templateWarnings(path: string, unchanged: typeof isSame = isSame): Warnings {
  return (object, old) => {
    if (unchanged(object, old)) return []
    let template: JsonObject | undefined = object
    for (const part of path.split('.')) template = objectAt(template, part)
    return specWarnings(objectAt(template, 'spec'), `${path}.spec`)
  }
}

/** Whether an update of a DaemonSet leaves its template unchanged. */
export function hasSameTemplate(object: KubeObject, old: KubeObject | undefined): boolean {
  const [template, oldTemplate] = [object, old].map(one => objectAt(objectAt(one, 'spec'), 'template'))
  return old !== undefined && sameJson(template, oldTemplate)
}

/** As {@link templateWarnings}, for an object with a name that becomes part of its Pods' names. */
export function namedTemplateWarnings(path: string): Warnings {
  const ofTemplate = templateWarnings(path)
  return (object, old) => [...nameWarnings(object, old, 'Pod names and hostnames'), ...ofTemplate(object, old)]
}

/** The warnings of a Pod. */
export const podWarnings: Warnings = (object, old) =>
  isSame(object, old)
    ? []
    : [...nameWarnings(object, old, "the Pod's hostname"), ...specWarnings(objectAt(object, 'spec'), 'spec')]

function isSame({ metadata }: KubeObject, old: KubeObject | undefined): boolean {
  return old !== undefined && old.metadata.generation === metadata.generation
}

function nameWarnings({ metadata }: KubeObject, old: KubeObject | undefined, usedIn: string): string[] {
  const problems = old === undefined ? dnsLabelProblems(metadata.name ?? '') : []
  const why = `which can result in surprising behavior; a DNS label is recommended: [${problems.join(' ')}]`
  return problems.length === 0 ? [] : [`metadata.name: this is used in ${usedIn}, ${why}`]
}

/** A port and its path. */
interface Port {
  readonly at: string
  readonly port: JsonObject
}

function specWarnings(spec: JsonObject | undefined, path: string): string[] {
  const containers = ['initContainers', 'containers', 'ephemeralContainers'].flatMap(list =>
    objectsAt(spec, list).map((container, i) => ({ container, at: `${path}.${list}[${i}]` })),
  )
  const ports = containers.flatMap(({ container, at }) =>
    objectsAt(container, 'ports').map((port, i): Port => ({ port, at: `${at}.ports[${i}]` })),
  )
  return [
    ...containers.flatMap(({ container, at }) => environmentWarnings(container, at)),
    ...portWarnings(ports),
    ...portNameWarnings(ports),
  ]
}

function environmentWarnings(container: JsonObject, at: string): string[] {
  const seen = new Set<string>()
  return objectsAt(container, 'env').flatMap((variable, i) => {
    const name = stringAt(variable, 'name') ?? ''
    const value = stringAt(variable, 'value') ?? ''
    const reference = `$(${name})`
    const isFirst = !seen.has(name)
    seen.add(name)
    // A value such as `$(PATH):/bin` extends the previous value.
    const extendsIt = own(variable, 'valueFrom') === undefined && value !== reference && value.includes(reference)
    if (isFirst || extendsIt) return []
    return [
      `${at}.env[${i}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
    ]
  })
}

function portWarnings(ports: readonly Port[]): string[] {
  const known = new Map<string, Port[]>()
  return ports.flatMap(({ at, port }) => {
    const key = `${own(port, 'containerPort')}/${stringAt(port, 'protocol') ?? ''}`
    const others = known.get(key) ?? []
    known.set(key, others)
    const found = others.flatMap(other => {
      const how = overlap(port, other.port)
      return how === undefined ? [] : [`${at}: ${how} port definition with ${other.at}`]
    })
    others.push({ at, port })
    return found
  })
}

function overlap(port: JsonObject, other: JsonObject): string | undefined {
  const [hostPort, otherPort] = [port, other].map(one => own(one, 'hostPort') ?? 0)
  const [address, otherAddress] = [port, other].map(one => stringAt(one, 'hostIP') ?? '')
  if (address === otherAddress && hostPort === otherPort) return 'duplicate'
  if (hostPort === 0 || otherPort === 0) return 'overlapping'
  const onlyOneHasAddress = (address === '') !== (otherAddress === '')
  return hostPort === otherPort && onlyOneHasAddress ? 'dangerously ambiguous' : undefined
}

function portNameWarnings(ports: readonly Port[]): string[] {
  const known = new Map<string, string>()
  return ports.flatMap(({ at, port }) => {
    const name = stringAt(port, 'name') ?? ''
    if (name === '') return []
    const other = known.get(name)
    if (other === undefined) {
      known.set(name, at)
      return []
    }
    const use = `services and probes that select ports by name will use ${other}`
    return [`${at}: duplicate port name ${JSON.stringify(name)} with ${other}, ${use}`]
  })
}
