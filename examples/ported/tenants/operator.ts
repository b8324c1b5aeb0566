import { namespaces, type Pod, persistentVolumeClaims, pods, resourceQuotas } from '@wherry/client/resources/core'
import { roleBindings } from '@wherry/client/resources/rbac'
import { type NewCondition, type Operator, refusalOf } from '@wherry/controller'
import { tenants, type Workspace, workspaces } from './kinds.ts'

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
  const controller = operator.controller('tenant').for(tenants).owns(spaces).owns(quotas).owns(bindings)
  controller.reconcile(({ object: { spec }, key, apply, status }) =>
    reported(status, async () => {
      const metadata = { namespace: `tenant-${key.name}`, name: 'tenant' }
      await apply(spaces, { metadata: { name: metadata.namespace } })
      await apply(quotas, { metadata, spec: { hard: spec.quota } })
      const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name: 'edit' }
      await apply(bindings, { metadata, roleRef, subjects: [{ apiGroup: rbac, kind: 'Group', name: spec.group }] })
      return 'Ready'
    }),
  )
}

/** Gives each workspace a claim, and a Pod while it is not stopped. Both go with the workspace; what others made stays. */
export function declareWorkspaces(operator: Operator): void {
  const controller = operator.controller('workspace', { concurrency: 4 }).for(workspaces).owns(claims).owns(ourPods)
  controller.caches(ourPods).reconcile(({ object: { spec }, key, apply, prune, read, status }) =>
    reported(status, async () => {
      const requests = { storage: spec.storage }
      await apply(claims, { metadata: key, spec: { accessModes: ['ReadWriteOnce'], resources: { requests } } })
      if (!spec.stopped) await apply(ourPods, podOf(key.name, spec), { whenImmutable: 'recreate' })
      await prune(ourPods)
      if (spec.stopped) return 'Stopped'
      return (await read.get(ourPods, key, { select: pod => pod.status?.phase })) ?? 'Pending'
    }),
  )
}

function podOf(name: string, { image, resources }: Workspace['spec']): Pod {
  const volumeMounts = [{ name: 'data', mountPath: '/data' }]
  const container = { name: 'workspace', image, volumeMounts, ...(resources && { resources: { limits: resources } }) }
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: name } }]
  return { metadata: { name }, spec: { containers: [container], volumes } }
}

type Status = (value: { phase: string; conditions: NewCondition[] }) => Promise<unknown>

/** Works, and puts the phase or the refusal into the status. A status that says the same again is no request, and keeps its times. */
async function reported(status: Status, work: () => Promise<string>): Promise<void> {
  const say = (phase: string, isReady: boolean, reason = phase, message = '') =>
    status({ phase, conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False', reason, message }] })
  try {
    const phase = await work()
    await say(phase, phase === 'Ready' || phase === 'Running')
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal !== undefined) await say('Blocked', false, 'Refused', refusal.message)
    throw error
  }
}
