import type { Discovery } from './discovery/discovery.ts'
import { checkOptions } from './errors/check.ts'
import { OptionRangeError, OptionTypeError } from './errors/option.ts'
import { customResourceDefinitions } from './resources/apiextensions.ts'
import type { Bound, Caller } from './verbs/caller.ts'
import { type ApplyOptions, applyChecks } from './verbs/options.ts'
import { waitFor } from './verbs/wait-for.ts'
import { apply } from './verbs/write.ts'
import type { KubernetesObject } from './views/object.ts'
import { defineResource, type View } from './views/resource.ts'

/** Kinds that other objects need come first, and kinds that can refuse other objects come last. All other kinds are between, in the given order. */
const first: readonly string[] = ['Namespace', 'CustomResourceDefinition', 'PriorityClass', 'StorageClass']
const early: readonly string[] = [
  'ServiceAccount',
  'Secret',
  'ConfigMap',
  'ClusterRole',
  'Role',
  'ClusterRoleBinding',
  'RoleBinding',
]
const last: readonly string[] = [
  ...['ValidatingAdmissionPolicy', 'MutatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'],
  ...['MutatingAdmissionPolicyBinding', 'APIService', 'ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'],
]
const isDefinition = ({ kind }: KubernetesObject): boolean => kind === 'CustomResourceDefinition'

/** Applies objects one after the other, in the order of their dependencies. */
export async function applyAll(
  caller: Caller,
  discovery: Discovery,
  home: string | undefined,
  objects: readonly KubernetesObject[],
  options: ApplyOptions = {},
): Promise<KubernetesObject[]> {
  checkOptions('applyAll', options, applyChecks)
  if (!Array.isArray(objects)) throw new OptionTypeError('applyAll.objects', 'a list of objects', typeof objects)
  objects.forEach(checkObject)
  const applied = new Map<number, KubernetesObject>()
  const ordered = objects
    .map((object, index) => ({ object, index }))
    .toSorted((a, b) => rank(a.object) - rank(b.object))
  const waiting: string[] = []
  const defined = new Set<string>()
  await caller.whole(options, { method: 'GET', path: '/apis' }, async (inner, bound) => {
    for (const { object, index } of ordered) {
      if (!isDefinition(object)) await established(inner, waiting)
      const view = await viewOf(discovery, object, defined, `applyAll.objects[${index}]`, bound)
      const { resource } = view
      const namespace = resource.namespaced ? (object.metadata?.namespace ?? home) : undefined
      const metadata = { ...object.metadata, ...(namespace !== undefined && { namespace }) }
      applied.set(index, (await apply(inner, view, { ...object, metadata }, options)) as KubernetesObject)
      if (!isDefinition(object) || options.dryRun === true) continue
      waiting.push(object.metadata?.name as string)
      for (const kind of kindsOf(object)) defined.add(kind)
    }
    await established(inner, waiting)
  })
  return objects.map((_, index) => applied.get(index) as KubernetesObject)
}

function checkObject(object: KubernetesObject, index: number): void {
  const { apiVersion, kind, metadata } = object ?? {}
  const isObject = [apiVersion, kind, metadata?.name].every(text => typeof text === 'string' && text !== '')
  const takes = 'an object with apiVersion, kind and metadata.name'
  if (!isObject) throw new OptionTypeError(`applyAll.objects[${index}]`, takes, JSON.stringify({ apiVersion, kind }))
}

function rank({ kind = '' }: KubernetesObject): number {
  if (first.includes(kind)) return first.indexOf(kind)
  if (early.includes(kind)) return first.length + early.indexOf(kind)
  return last.includes(kind) ? 1000 + last.indexOf(kind) : 500
}

/** Waits until the server has established these definitions. Empties the list. */
async function established(caller: Caller, names: string[]): Promise<void> {
  for (const name of names.splice(0)) {
    const isServed = (definition: object | undefined): boolean => {
      const { status } = (definition ?? {}) as { status?: { conditions?: readonly Condition[] | null } }
      return (status?.conditions ?? []).some(one => one.type === 'Established' && one.status === 'True')
    }
    await waitFor(caller, customResourceDefinitions, { name }, isServed)
  }
}

/** The kinds that a definition serves, each as its `apiVersion` and its kind. */
function kindsOf(definition: Definition): string[] {
  const { group, names, versions } = definition.spec ?? {}
  return (versions ?? []).filter(one => one.served === true).map(({ name }) => `${group}/${name} ${names?.kind}`)
}

interface Definition {
  readonly spec?: {
    readonly group?: string
    readonly names?: { readonly kind?: string }
    readonly versions?: readonly { readonly name?: string; readonly served?: boolean }[]
  }
}

interface Condition {
  readonly type: string
  readonly status: string
}

/** @param defined kinds of definitions that were just applied: the discovery documents have them a moment later */
async function viewOf(
  discovery: Discovery,
  { apiVersion = '', kind = '' }: KubernetesObject,
  defined: ReadonlySet<string>,
  option: string,
  { signal }: Bound,
): Promise<View<object>> {
  const [version = '', group = ''] = apiVersion.split('/').toReversed()
  const find = (): ReturnType<Discovery['find']> =>
    discovery.find({ group, version, kind }, { signal, timeoutMs: Number.POSITIVE_INFINITY })
  let found = await find()
  // Each call of `find` asks the server, at most once a second.
  while (found === undefined && defined.has(`${apiVersion} ${kind}`)) found = await find()
  if (found === undefined) throw new OptionRangeError(option, 'a kind that the server has', `${kind} of ${apiVersion}`)
  const { plural, namespaced } = found
  return defineResource<object>({ group, version, kind, plural, namespaced } as never)
}
