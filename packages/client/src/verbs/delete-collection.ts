import type { ListMeta } from '../bytes/list-head.ts'
import { checkOptions, integer, readableCheck } from '../errors/check.ts'
import { OptionRangeError } from '../errors/option.ts'
import { PageTokens } from '../list/page-tokens.ts'
import type { KubernetesObject, ObjectKey } from '../views/object.ts'
import { queryText } from '../views/path.ts'
import { acceptOf, isExact, projector, readAs } from '../views/read.ts'
import type { View } from '../views/resource.ts'
import type { Caller } from './caller.ts'
import { deleteBody } from './delete.ts'
import { listEach } from './list.ts'
import type { DeleteOptions } from './options.ts'
import { deleteChecks } from './options.ts'
import { isSuccessStatus, itemsOf } from './received.ts'
import { collectionTarget } from './target.ts'
import { typed } from './write.ts'

/** The maximum size of the answer to the delete of a collection, in bytes: it contains all deleted objects. */
const maxBytes = 512 * 1024 * 1024

/** How a collection is deleted. */
export interface DeleteCollectionOptions extends Omit<DeleteOptions, 'preconditions'> {
  /**
   * How many objects each request deletes, until all are deleted, for collections that are too large for one answer.
   * @default all in one request
   */
  readonly limit?: number | undefined
}

/** Deletes all objects of a view, and returns them from the answer: some may stay until their finalizers are gone. */
export async function deleteCollection<C>(
  caller: Caller,
  view: View<C>,
  options: DeleteCollectionOptions = {},
): Promise<C[]> {
  const { preconditions: _, ...checks } = deleteChecks
  checkOptions('deleteCollection', options, { ...checks, limit: integer(1) })
  readableCheck('view', view)
  if (view.shard !== undefined)
    throw new OptionRangeError(
      'view',
      'a view without a shard, which some servers ignore: they would delete all',
      view.key,
    )
  if (view.resource.namespaced && view.namespaces === undefined) {
    const takes = `a view within namespaces: no server deletes all ${view.resource.plural} of all namespaces at once`
    throw new OptionRangeError('view', takes, 'one of all namespaces')
  }
  const targets = (view.namespaces ?? [undefined]).map(namespace => collectionTarget(view, namespace))
  const { limit } = options
  const query = (token?: string): string =>
    queryText({ labelSelector: view.labels.text, fieldSelector: view.fields.text, limit, continue: token })
  const project = projector(view)
  const shared = { method: 'DELETE', accept: acceptOf(view, 'list'), exact: isExact(view), maxBytes }
  const about = { method: 'DELETE', ...(targets[0] as (typeof targets)[0]) }
  const all = await caller.whole(options, about, async (inner, bound) => {
    const deleted: KubernetesObject[] = []
    for (const target of targets) {
      const tokens = new PageTokens({ method: 'DELETE', ...target })
      let token: string | undefined
      do {
        const call = { ...target, ...shared, query: query(token), body: deleteBody(options) }
        const answer = await inner.json(call, bound)
        // Some servers answer only with a success.
        const items = isSuccessStatus(answer) ? [] : itemsOf(view, answer, call)
        for (const item of items) deleted.push(typed(view, item))
        token = limit === undefined ? undefined : tokens.after(metadataOf(answer), items.length)
      } while (token !== undefined)
    }
    if (deleted.length > 0) {
      const report = (): Promise<void> => reportDeleted(inner, view, deleted)
      await inner.listeners.askAfter(about, options, inner.environment, report)
    }
    return deleted
  })
  return all.map(project)
}

function metadataOf(answer: object): ListMeta {
  const { metadata } = answer as { readonly metadata?: unknown }
  return metadata !== null && typeof metadata === 'object' ? metadata : {}
}

/** Reports to the listeners which of these objects have gone, and which stay until their finalizers are gone. */
async function reportDeleted(caller: Caller, view: View, deleted: readonly KubernetesObject[]): Promise<void> {
  const left = new Map<string | undefined, KubernetesObject>()
  const note = (object: KubernetesObject): unknown => left.set(object.metadata?.uid, object)
  await listEach(caller, readAs(view, 'metadata') as View<KubernetesObject>, note)
  for (const { metadata: { name = '', namespace, uid } = {} } of deleted) {
    const there = left.get(uid)
    if (there !== undefined) caller.listeners.wrote(view, there)
    else caller.listeners.deleted(view, { name, namespace } as ObjectKey, uid)
  }
}
