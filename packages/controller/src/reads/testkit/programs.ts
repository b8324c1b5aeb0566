import type { KubernetesObject, View } from '@wherry/client'
import { type ConfigMap, configMaps, type Secret, secrets } from '@wherry/client/resources/core'
import { chance, choose, integer } from '@wherry/testing'
import { indexBy, type ObjectIndex } from '../object-index.ts'

/** How a program sees objects: through tracked reads, or in a model of what the server has. */
export interface Eyes {
  get<C>(view: View<C>, path: string): Promise<C | undefined>
  select<C>(view: View<C>, path: string, select: (object: C) => unknown): Promise<unknown>
  list<C>(view: View<C>, labels: string | undefined, namespace: string | undefined): Promise<C[]>
  /** The objects that an index finds by a value. */
  found<C>(view: View<C>, index: ObjectIndex<C>, value: string): Promise<C[]>
  /** A part of each object of a list. */
  parts<C>(view: View<C>, labels: string | undefined, select: (object: C) => string): Promise<string[]>
}

export const namespacesUsed = ['a', 'b'] as const
export const names = ['p', 'q', 'r', 's'] as const
export const paths: readonly string[] = namespacesUsed.flatMap(namespace => names.map(name => `${namespace}/${name}`))

/** Served by an informer, and listed; ConfigMaps are not. */
export const declared: typeof secrets = secrets.within({ namespaces: ['a', 'b'] })
/** Of what keys write themselves, and no program looks at. */
export const own: typeof secrets = secrets.within({ namespaces: ['c'] })
const size = configMaps.project('reads-size', ({ data }) => Object.keys(data ?? {}).length)
const heads = secrets.within({ namespaces: ['a', 'b'] }).metadata()
/** Objects that were made odd can't be transformed, for as long as they are there. */
const even = configMaps.project('reads-even', n)
/** The same, of objects that an informer of that projection has. */
export const strict: View<string | undefined, 'namespaced'> = secrets
  .within({ namespaces: ['b'] })
  .project('reads-strict', n)
/** Not covered by it: whole objects. */
export const web: View<Secret, 'namespaced'> = secrets.full().within({ namespaces: ['a', 'b'], labels: 'app=web' })
/** Covered by it. */
export const small: View<Secret> = secrets.within({ namespaces: ['a'], labels: 'app' })
const byApp = indexBy(declared, 'app', ({ metadata }) => metadata.labels?.app)
/** An index of a covered view: the informer has more. */
const headsByLabels = indexBy(heads, 'labels', ({ metadata }) => Object.values(metadata.labels ?? {}))
const gets = ['get', 'select', 'meta', 'size', 'even', 'follow', 'secret', 'part', 'head', 'strict']
const lists = ['list', 'list', 'list', 'small', 'parts', 'heads', 'found', 'found-heads']
const kinds = [...gets, ...lists]
const values = ['web', 'api', 'x', 'none'] as const
const labels = ['app=web', 'app in (web,api)', '!app', 'app=api,tier=x', undefined] as const

/** A random program: what to read, a word each. */
export function randomProgram(random: () => number): string {
  const words = Array.from({ length: integer(random, 0, 4) }, () => {
    const path = choose(random, paths)
    const kind = choose(random, kinds)
    if (lists.includes(kind)) {
      const namespace = chance(random, 0.5) ? choose(random, namespacesUsed) : ''
      return `${kind}:${integer(random, 0, labels.length - 1)}:${kind === 'list' ? namespace : ''}`
    }
    return `${kind}:${kind === 'strict' ? path.replace(/^a/, 'b') : path}`
  })
  return words.join(' ')
}

/** What a program makes of what it sees. */
export async function evaluate(program: string, eyes: Eyes): Promise<string> {
  const parts: string[] = []
  for (const word of program.split(' ').filter(text => text !== '')) {
    const [kind = '', what = '', namespace = ''] = word.split(':')
    parts.push(`${word}=${await seen(kind, what, namespace, eyes)}`)
  }
  return parts.join(' ')
}

async function seen(kind: string, what: string, namespace: string, eyes: Eyes): Promise<string> {
  const label = labels[Number(what)]
  switch (kind) {
    case 'get':
      return text(await eyes.get(configMaps, what))
    case 'select':
      return `${await eyes.select(configMaps, what, ({ data }) => data?.n)}`
    case 'meta':
      return JSON.stringify((await eyes.get(configMaps.metadata(), what))?.metadata.labels)
    case 'size':
      return `${await eyes.get(size, what)}`
    case 'even':
      return reported(() => eyes.get(even, what))
    case 'strict':
      return reported(() => eyes.get(strict, what))
    case 'secret':
      return text(await eyes.get(declared, what))
    case 'part':
      return JSON.stringify(await eyes.select(declared, what, ({ data }) => ({ n: data?.n, kept: true })))
    case 'head':
      return JSON.stringify((await eyes.get(heads, what))?.metadata.labels)
    case 'list':
      return all(await eyes.list(declared, label, namespace === '' ? undefined : namespace))
    case 'parts':
      return (await eyes.parts(declared, label, object => `${pathOf(object)}:${object.data?.n}`)).sort().join()
    case 'heads':
      return (await eyes.parts(heads, label, object => `${pathOf(object)}:${object.metadata.labels?.app}`))
        .sort()
        .join()
    case 'found':
      return all(await eyes.found(declared, byApp, values[Number(what)] ?? ''))
    case 'found-heads':
      return (await eyes.found(heads, headsByLabels, values[Number(what)] ?? '')).map(pathOf).sort().join()
    case 'small':
      return all(await eyes.list(small, label, undefined))
    case 'follow':
      return followed(what, eyes)
    default:
      throw new Error(`no such word: ${kind}`)
  }
}

function n({ data }: ConfigMap | Secret): string | undefined {
  if (data?.odd !== undefined) throw new Error('odd')
  return data?.n
}

/** An object that can't be transformed is something to see, too. */
async function reported(get: () => Promise<string | undefined>): Promise<string> {
  try {
    return `${await get()}`
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message?: string }
    if (code === 'TRANSFORM_FAILED' || message === 'odd') return 'odd'
    throw error
  }
}

async function followed(path: string, eyes: Eyes): Promise<string> {
  const way: string[] = []
  for (let next: string | undefined = path; next !== undefined && way.length < 3; ) {
    const object: ConfigMap | undefined = await eyes.get(configMaps, next)
    way.push(`${next}:${text(object)}`)
    next = object?.data?.ref
  }
  return way.join('>')
}

function pathOf({ metadata }: KubernetesObject): string {
  return `${metadata?.namespace}/${metadata?.name}`
}

function all(objects: readonly Secret[]): string {
  return objects
    .map(object => `${pathOf(object)}:${text(object)}`)
    .sort()
    .join(',')
}

/** What a program takes of an object: its data and labels, not its version, which would be another after a recreation. */
function text(object: ConfigMap | Secret | undefined): string {
  return object === undefined ? 'absent' : JSON.stringify([object.data, object.metadata?.labels])
}
