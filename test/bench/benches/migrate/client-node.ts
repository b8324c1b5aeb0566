import { CustomObjectsApi } from '@kubernetes/client-node'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { kubeConfigFor } from '../../server/client-node.ts'
import { group, plural } from './games.ts'
import { measureMigration } from './measure.ts'

interface Games {
  readonly metadata: { readonly continue?: string }
  readonly items: readonly { readonly metadata: { readonly name: string; readonly namespace: string } }[]
}

/** A plain loop, as people write it. */
export function run(context: SubjectContext): Promise<Metrics> {
  return measureMigration(context, async address => {
    const api = kubeConfigFor(address).makeApiClient(CustomObjectsApi)
    const games = { group, version: 'v2', plural }
    let rewritten = 0
    let next: string | undefined
    do {
      const page: Games = await api.listCustomObjectForAllNamespaces({
        ...{ group, version: 'v2', resourcePlural: plural, limit: 500 },
        ...(next !== undefined && { _continue: next }),
      })
      for (const { metadata } of page.items) {
        const { name, namespace } = metadata
        const body = await api.getNamespacedCustomObject({ ...games, name, namespace })
        await api.replaceNamespacedCustomObject({ ...games, name, namespace, body })
        rewritten++
      }
      next = page.metadata.continue || undefined
    } while (next !== undefined)
    return rewritten
  })
}
