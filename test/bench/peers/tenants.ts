/**
 * A program of ours on client-node that behaves as kagent does with tenants and workspaces: each event of an object patches its status, with the time of
 * now in the condition. A claim that is there already is taken for its own. It is deleted by its name, before a finalizer lets the workspace go.
 */
import {
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  type KubernetesListObject,
  type KubernetesObject,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
} from '@kubernetes/client-node'
import type { Tenant, Workspace } from '../../../examples/ported/tenants/kinds.ts'

const [group, version] = ['tenancy.example.com', 'v1']
const finalizer = 'tenancy.example.com/claim'

const config = new KubeConfig()
config.loadFromDefault()
const objects = config.makeApiClient(CustomObjectsApi)
const core = config.makeApiClient(CoreV1Api)
const merge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch)

const ready = () => [
  { type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime: new Date().toISOString() },
]

async function tenantChanged({ metadata }: Tenant): Promise<void> {
  const body = { status: { phase: 'Ready', conditions: ready() } }
  const name = metadata?.name ?? ''
  await objects.patchClusterCustomObjectStatus({ group, version, plural: 'tenants', name, body }, merge)
}

async function workspaceChanged({ metadata, spec }: Workspace): Promise<void> {
  const { name = '', namespace = '', uid = '', finalizers = [] } = metadata ?? {}
  const key = { group, version, namespace, plural: 'workspaces', name }
  const finalize = (value: string[]) =>
    objects.patchNamespacedCustomObject({ ...key, body: { metadata: { finalizers: value } } }, merge)
  if (metadata?.deletionTimestamp !== undefined) {
    await core.deleteNamespacedPersistentVolumeClaim({ name, namespace }).catch(ignore(404))
    return void (await finalize(finalizers.filter(one => one !== finalizer)))
  }
  if (!finalizers.includes(finalizer)) return void (await finalize([...finalizers, finalizer]))
  const ownerReferences = [{ apiVersion: `${group}/${version}`, kind: 'Workspace', name, uid, controller: true }]
  const resources = { requests: { storage: `${spec.storage}` } }
  const claim = { metadata: { name, ownerReferences }, spec: { accessModes: ['ReadWriteOnce'], resources } }
  await core.createNamespacedPersistentVolumeClaim({ namespace, body: claim }).catch(ignore(409))
  await objects.patchNamespacedCustomObjectStatus(
    { ...key, body: { status: { phase: 'Ready', conditions: ready() } } },
    merge,
  )
}

function ignore(code: number): (error: { code?: number }) => void {
  return error => {
    if (error.code !== code) throw error
  }
}

async function watch<T>(plural: string, changed: (object: T) => Promise<void>): Promise<void> {
  const list = () =>
    objects.listClusterCustomObject({ group, version, plural }) as Promise<KubernetesListObject<KubernetesObject>>
  const informer = makeInformer(config, `/apis/${group}/${version}/${plural}`, list)
  const handle = (object: KubernetesObject): void => void changed(object as T).catch(console.error)
  for (const verb of ['add', 'update'] as const) informer.on(verb, handle)
  informer.on('error', () => setTimeout(() => void informer.start().catch(console.error), 5_000))
  await informer.start()
}

await watch<Tenant>('tenants', tenantChanged)
await watch<Workspace>('workspaces', workspaceChanged)
