import type { KubernetesObject } from '@wherry/client'
import type { CopyViews } from './copy-views.ts'
import type { Decider, Decision } from './decision.ts'
import type { Foresight } from './foresight.ts'
import { sourceIdOf } from './marks.ts'
import { marksOf } from './observed.ts'
import { CopyPlan, type PlannedWork } from './plan.ts'
import type { Sources } from './sources.ts'
import { type CopyItem, copyItem, splitKey, workItem } from './work-item.ts'

export interface PlannerParts<P, T extends KubernetesObject> {
  readonly sources: Sources<P, T>
  readonly views: CopyViews<P, T>
  readonly decider: Decider<P, T>
  readonly foresight: Foresight<P, T>
  /** Ends it: what is thrown then is no failure of a copy. */
  readonly throwIfEnded: () => void
}

/** Makes a plan: a decision for each copy that is wanted or there, of which none is carried out. */
export async function planned<P, T extends KubernetesObject>(of: PlannerParts<P, T>): Promise<CopyPlan> {
  const { sources, decider, foresight, throwIfEnded } = of
  const work: PlannedWork[] = []
  const failed = new Map<string, Error>()
  let equal = 0
  for (const item of itemsOf(of, failed)) {
    const { id, namespace, name } = workItem(item) as CopyItem
    const key = `${namespace}/${name}`
    try {
      const decision = await foresight.decide(decider, id, { namespace, name })
      throwIfEnded()
      const action = actionOf(decision)
      if (action !== undefined) {
        const parts = decision.what === 'write' ? decision.differing : []
        work.push({ key, source: sources.get(id)?.mark.key, action, parts })
      } else if (decision.what === 'nothing' && decision.because === 'equal') equal += 1
    } catch (error) {
      throwIfEnded()
      failed.set(key, error as Error)
    }
  }
  return new CopyPlan(work, equal, failed)
}

/** Every copy that is wanted or there, once. */
function itemsOf<P, T extends KubernetesObject>(
  { sources, views }: PlannerParts<P, T>,
  failed: Map<string, Error>,
): Set<string> {
  const items = new Set<string>()
  for (const source of sources.all()) {
    for (const namespace of [...views.namespaces.keys()]) {
      try {
        for (const item of sources.copiesIn(namespace, source)) items.add(item)
      } catch (error) {
        failed.set(source.mark.key, error as Error)
      }
    }
  }
  for (const key of views.copies.keys()) {
    const observed = views.copies.get(key)
    const id = observed && sourceIdOf(marksOf(observed))
    if (id !== undefined) items.add(copyItem(id, ...splitKey(key)))
  }
  return items
}

/** `undefined`: nothing is to be done; or the copy has gone just now, which will be heard. */
function actionOf<P, T extends KubernetesObject>({ what }: Decision<P, T>): PlannedWork['action'] | undefined {
  if (what === 'nothing' || what === 'read') return undefined
  return what === 'write' ? 'update' : what
}
