/** The audited operator on client-node: an informer of all Secrets, and a ConfigMap that each run replaces. */
import { createHash } from 'node:crypto'
import {
  ApiException,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  type KubernetesListObject,
  type KubernetesObject,
  makeInformer,
} from '@kubernetes/client-node'

interface Mirror extends KubernetesObject {
  readonly spec: { readonly secret: string; readonly note: string }
}

const config = new KubeConfig()
config.loadFromDefault()
const core = config.makeApiClient(CoreV1Api)
const custom = config.makeApiClient(CustomObjectsApi)
const of = { group: 'arcade.example.com', version: 'v1' }

async function listMirrors(): Promise<KubernetesListObject<Mirror>> {
  return (await custom.listCustomObjectForAllNamespaces({ ...of, resourcePlural: 'mirrors' })) as never
}

const secrets = makeInformer(config, '/api/v1/secrets', () => core.listSecretForAllNamespaces())
const mirrors = makeInformer(config, '/apis/arcade.example.com/v1/mirrors', listMirrors)

async function reconcile({ metadata, spec }: Mirror): Promise<void> {
  const { name = '', namespace = '' } = metadata ?? {}
  const secret = secrets.get(spec.secret, namespace)
  if (secret === undefined) return
  const digest = createHash('sha256')
    .update(secret.data?.key ?? '', 'base64')
    .digest('hex')
  const body = { metadata: { name: `${name}-mirror` }, data: { digest } }
  try {
    await core.replaceNamespacedConfigMap({ name: body.metadata.name, namespace, body })
  } catch (error) {
    if (!(error instanceof ApiException) || error.code !== 404) throw error
    await core.createNamespacedConfigMap({ namespace, body })
  }
  console.log(`mirrored ${name} ${spec.note}`)
}

/** Runs come one after the other. */
let last = Promise.resolve()
const run = (mirror: Mirror): void => {
  last = last.then(() => reconcile(mirror))
}
const fail = (error: unknown): void => {
  throw error
}
secrets.on('error', fail)
mirrors.on('error', fail)
mirrors.on('add', run)
mirrors.on('update', run)
const runOfSecret = (name: string | undefined): void => {
  for (const mirror of mirrors.list()) if (mirror.spec.secret === name) run(mirror)
}
secrets.on('add', ({ metadata }) => runOfSecret(metadata?.name))
secrets.on('update', ({ metadata }) => runOfSecret(metadata?.name))
await secrets.start()
await mirrors.start()
