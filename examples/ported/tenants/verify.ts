import { namespaces, persistentVolumeClaims, pods, resourceQuotas } from '@wherry/client/resources/core'
import { roleBindings } from '@wherry/client/resources/rbac'
import { conditionOf, controllerOf } from '@wherry/controller'
import type { Stage } from '../../../tools/runner/stage.ts'
import { tenants, workspaces } from './kinds.ts'

const namespace = 'tenant-blue'
const quota = { pods: '5', 'requests.storage': '10Gi' }
const key = (name: string) => ({ namespace, name })

/** Plays the administrator, the users of a tenant, the kubelet and what counts quotas. */
export async function verify({ client, start, rest, until, say }: Stage): Promise<void> {
  const program = start()
  const phaseOf = async (name: string) => (await client.get(workspaces, key(name)))?.status?.phase
  const claim = (name: string) => client.get(persistentVolumeClaims, key(name))
  const pod = (name: string) => client.get(pods, key(name))

  await client.create(tenants, { metadata: { name: 'blue' }, spec: { group: 'team-blue', quota } })
  const isReady = async () => (await client.get(tenants, { name: 'blue' }))?.status?.phase === 'Ready'
  await until('the tenant is ready', isReady)
  const bound = (await client.get(roleBindings, key('tenant')))?.subjects?.map(({ name }) => name)
  if (bound?.join() !== 'team-blue') throw new Error(`bound are ${bound}`)
  const hard = (await client.get(resourceQuotas, key('tenant')))?.spec?.hard ?? {}
  // In a cluster a controller does this. Until then the server admits no Pod there.
  const used = Object.fromEntries(Object.keys(hard).map(name => [name, '0']))
  await client.status.patch(resourceQuotas, key('tenant'), { status: { hard, used } })
  const spec = { containers: [{ name: 'probe', image: 'probe' }] }
  const tried = () => client.create(pods, { metadata: key('probe'), spec }, { dryRun: true })
  await until('Pods are admitted', () => tried().then(Boolean, () => false))
  say('a tenant has a namespace with a quota, where its group may edit')

  await client.create(workspaces, { metadata: key('desk'), spec: { image: 'desk:1', storage: '1Gi' } })
  await until('the workspace has a Pod', () => pod('desk'))
  await client.status.patch(pods, key('desk'), { status: { phase: 'Running' } })
  await until('the workspace runs', async () => (await phaseOf('desk')) === 'Running')
  const first = (await claim('desk'))?.metadata?.uid
  const time = async () =>
    conditionOf((await client.get(workspaces, key('desk')))?.status?.conditions, 'Ready')?.lastTransitionTime
  const since = await time()
  await client.patch(workspaces, key('desk'), { spec: { image: 'desk:2' } })
  const image = async () => (await pod('desk'))?.spec?.containers[0]?.image
  await until('its Pod has the new image', async () => (await image()) === 'desk:2')
  if ((await time()) !== since) throw new Error('a condition that did not change has another time')
  say('a workspace has a claim and a Pod, and a condition with a time that changes with its status alone')

  await client.patch(workspaces, key('desk'), { spec: { stopped: true } })
  await until('the Pod is gone', async () => (await pod('desk')) === undefined)
  await until('the workspace says so', async () => (await phaseOf('desk')) === 'Stopped')
  if ((await claim('desk'))?.metadata?.uid !== first) throw new Error('the volume of a stopped workspace is gone')
  say('a stopped workspace has no Pod, and keeps its volume')

  const accessModes = ['ReadWriteOnce']
  const resources = { requests: { storage: '1Gi' } }
  await client.create(persistentVolumeClaims, { metadata: key('theirs'), spec: { accessModes, resources } })
  const theirs = (await claim('theirs'))?.metadata
  await client.create(workspaces, { metadata: key('theirs'), spec: { image: 'desk:1', storage: '1Gi' } })
  await until('the workspace is blocked', async () => (await phaseOf('theirs')) === 'Blocked')
  await client.delete(workspaces, key('theirs'))
  await until('it is gone', async () => (await client.get(workspaces, key('theirs'))) === undefined)
  const now = (await claim('theirs'))?.metadata
  if (now?.uid !== theirs?.uid || now?.resourceVersion !== theirs?.resourceVersion)
    throw new Error('a claim of somebody else was written')
  say('a claim of somebody else blocks a workspace of its name, and stays as it is when that goes')
  await rest(program)

  const tenant = await client.get(tenants, { name: 'blue' })
  const space = await client.get(namespaces, { name: namespace })
  if (tenant === undefined || controllerOf(space ?? {})?.uid !== tenant.metadata.uid)
    throw new Error('the namespace would stay without its tenant')
  say('the tenant owns its namespace: the cluster deletes that with it')
}
