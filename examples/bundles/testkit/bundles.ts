import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { stringify } from 'yaml'

/** What a test wants of a bundle. */
export interface Wanted {
  readonly name: string
  readonly version?: string
  readonly modes?: readonly string[]
  readonly webhooks?: number
  /** The kind that it defines. @default none */
  readonly defines?: string
  readonly deployments?: readonly string[]
  /** Other manifests, as objects or text. */
  readonly others?: readonly (object | string)[]
}

/** A bundle of the format `registry+v1`, as an archive. */
export function bundleOf(wanted: Wanted): Promise<Buffer> {
  const files: [string, string][] = [
    [
      'metadata/annotations.yaml',
      stringify({ annotations: { 'operators.operatorframework.io.bundle.mediatype.v1': 'registry+v1' } }),
    ],
    ['manifests/operator.clusterserviceversion.yaml', stringify(csvOf(wanted))],
  ]
  if (wanted.defines !== undefined) files.push(['manifests/definition.yaml', stringify(definitionOf(wanted.defines))])
  wanted.others?.forEach((other, index) => {
    files.push([`manifests/other-${index}.yaml`, typeof other === 'string' ? other : stringify(other)])
  })
  return archiveOf(files)
}

/** An archive of these files. */
export function archiveOf(
  files: Iterable<readonly [name: string, content: string, type?: 'symlink' | 'link']>,
): Promise<Buffer> {
  const tar = pack()
  for (const [name, content, type] of files) {
    if (type === undefined) tar.entry({ name }, content)
    else tar.entry({ name, type, linkname: content })
  }
  tar.finalize()
  return gzipped(tar)
}

export async function gzipped(chunks: AsyncIterable<unknown>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const chunk of chunks) all.push(chunk as Uint8Array)
  return gzipSync(Buffer.concat(all))
}

export const group = 'widgets.example.com'

function csvOf({
  name,
  version = '1.0.0',
  modes = ['AllNamespaces'],
  webhooks = 0,
  deployments = [name],
}: Wanted): object {
  const account = `${name}-operator`
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }]
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: { name: `${name}.v${version}` },
    spec: {
      version,
      displayName: name,
      installModes: ['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces'].map(type => ({
        type,
        supported: modes.includes(type),
      })),
      webhookdefinitions: Array.from({ length: webhooks }, (_, i) => ({
        type: 'ValidatingAdmissionWebhook',
        generateName: `w${i}`,
      })),
      install: {
        strategy: 'deployment',
        spec: {
          permissions: [{ serviceAccountName: account, rules }],
          clusterPermissions: [{ serviceAccountName: account, rules }],
          deployments: deployments.map(name => ({ name, spec: deploymentOf(name, account, version) })),
        },
      },
    },
  }
}

function deploymentOf(name: string, account: string, version: string): object {
  const labels = { app: name }
  return {
    replicas: 1,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        serviceAccountName: account,
        containers: [{ name: 'operator', image: `${name}:${version}`, resources: { requests: { cpu: '1000m' } } }],
      },
    },
  }
}

/** The definition of a kind of {@link group}. */
export function definitionOf(kind: string): object {
  const singular = kind.toLowerCase()
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.${group}`, creationTimestamp: null },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, listKind: `${kind}List`, plural: `${singular}s`, singular },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
    status: { acceptedNames: { kind: '', plural: '' }, conditions: [], storedVersions: [] },
  }
}
