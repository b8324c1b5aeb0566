import { ApiError } from '@wherry/client'
import { namespaces, type Pod, persistentVolumeClaims, pods, resourceQuotas } from '@wherry/client/resources/core'
import { roleBindings } from '@wherry/client/resources/rbac'
import {
  AlreadyOwnedError,
  ApplyDelayedError,
  type NewCondition,
  NotOursError,
  type Operator,
} from '@wherry/controller'
import { tenants } from './tenant.ts'
import { type Workspace, workspaces } from './workspace.ts'

/** What the operator makes has these labels: of all other objects it receives nothing. */
const ours = { labels: { 'app.kubernetes.io/managed-by': 'tenants' } }
const spaces = namespaces.within(ours)
const quotas = resourceQuotas.within(ours)
const bindings = roleBindings.within(ours)
const claims = persistentVolumeClaims.within(ours)
const ourPods = pods.within(ours)

const rbac = 'rbac.authorization.k8s.io'

/** Gives each tenant a namespace with a quota, where its group may edit. All of it goes with the tenant. */
export function declareTenants(operator: Operator): void {
  operator
    .controller('tenant')
    .for(tenants)
    .owns(spaces)
    .owns(quotas)
    .owns(bindings)
    .reconcile(({ object: { spec }, key, apply, status }) =>
      reported(status, async () => {
        const namespace = `tenant-${key.name}`
        await apply(spaces, { metadata: { name: namespace } })
        await apply(quotas, { metadata: { namespace, name: 'tenant' }, spec: { hard: spec.quota } })
        await apply(bindings, {
          metadata: { namespace, name: 'tenant' },
          roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'edit' },
          subjects: [{ apiGroup: rbac, kind: 'Group', name: spec.group }],
        })
        return { phase: 'Ready', isReady: true }
      }),
    )
}

/** Gives each workspace a claim, and a Pod while it is not stopped. Both go with the workspace; what others made stays. */
export function declareWorkspaces(operator: Operator): void {
  operator
    .controller('workspace', { concurrency: 4 })
    .for(workspaces)
    .owns(claims)
    .owns(ourPods)
    .caches(ourPods)
    .reconcile(({ object: { spec }, key, apply, prune, read, status }) =>
      reported(status, async () => {
        const requests = { storage: spec.storage }
        await apply(claims, { metadata: key, spec: { accessModes: ['ReadWriteOnce'], resources: { requests } } })
        if (!spec.stopped) await apply(ourPods, podOf(key.name, spec), { whenImmutable: 'recreate' })
        await prune(ourPods)
        const phase = await read.get(ourPods, key, { select: pod => pod.status?.phase ?? 'Pending' })
        return { phase: spec.stopped ? 'Stopped' : (phase ?? 'Pending'), isReady: !spec.stopped && phase === 'Running' }
      }),
    )
}

function podOf(name: string, { image, resources }: Workspace['spec']): Pod {
  const volumeMounts = [{ name: 'data', mountPath: '/data' }]
  const container = { name: 'workspace', image, volumeMounts, ...(resources && { resources: { limits: resources } }) }
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: name } }]
  return { metadata: { name }, spec: { containers: [container], volumes } }
}

interface Report {
  readonly phase: string
  readonly isReady: boolean
}

type Status = (value: { phase: string; conditions: NewCondition[] }) => Promise<unknown>

/** Works, and says in the status what came of it. A status that says the same again is no request, and keeps its times. */
async function reported(status: Status, work: () => Promise<Report>): Promise<void> {
  const { phase, isReady } = await work().catch(async error => {
    const refusal = error instanceof ApplyDelayedError ? error.cause : error
    if (refusal instanceof ApiError || refusal instanceof NotOursError || refusal instanceof AlreadyOwnedError) {
      const condition = { type: 'Ready', status: 'False', reason: 'Refused', message: refusal.message } as const
      await status({ phase: 'Blocked', conditions: [condition] })
    }
    throw error
  })
  await status({ phase, conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False', reason: phase }] })
}
