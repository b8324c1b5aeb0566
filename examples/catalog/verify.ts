import { secrets } from '@wherry/client/resources/core'
import { conditionOf } from '@wherry/controller'
import { clusterServiceVersions } from '@wherry/data'
import type { Stage } from '../../tools/runner/stage.ts'
import { bundleType, indexType } from './catalog.ts'
import { catalogSources } from './catalog-source.ts'
import { CatalogIndex } from './index/catalog-index.ts'
import { add } from './index/edit.ts'
import type { Metadata } from './index/release.ts'
import { push } from './testkit/registry.ts'
import { releaseOf } from './testkit/releases.ts'
import { StandInRegistry } from './testkit/stand-in-registry.ts'

const namespace = 'catalogs'
const community = { namespace, name: 'community' }
const pullSecret = { namespace, name: 'pull' }
const stable = { package: 'etcd', name: 'stable' }
const repository = 'catalogs/community'

/** Plays the users of the operator, and a registry that asks for a password. */
export async function verify(stage: Stage): Promise<void> {
  const registry = await StandInRegistry.start('bearer')
  try {
    await play(stage, registry)
  } finally {
    await registry.close()
  }
}

async function play({ client, start, rest, until, say }: Stage, registry: StandInRegistry): Promise<void> {
  const [base] = clusterServiceVersions({ count: 1, managedFields: false }) as Iterable<unknown> as [Metadata]
  let index = new CatalogIndex()
  const publish = async (content: Buffer): Promise<string> =>
    (await push(registry, repository, { content, mediaType: indexType, tag: 'latest' })).manifest
  const release = async (minor: number): Promise<{ readonly index: string; readonly blob: string }> => {
    const metadata = releaseOf(base, 'etcd', minor)
    const content = Buffer.from(`the bundle ${minor}`)
    const { manifest: digest, blob } = await push(registry, repository, { content, mediaType: bundleType })
    index = add(index, stable, { metadata, digest })
    return { index: await publish(index.toBytes()), blob }
  }
  const status = async () => (await client.get(catalogSources, community))?.status
  const serves = (digest: string) => async () => (await status())?.digest === digest
  const reason = (type: string, wanted: string) => async () =>
    conditionOf((await status())?.conditions, type)?.reason === wanted
  const password = (to: string): object => {
    const auths = { [registry.host]: { username: 'puller', password: to } }
    return { stringData: { '.dockerconfigjson': JSON.stringify({ auths }) } }
  }

  const zeroth = await release(0)
  const first = await release(1)
  const program = start()
  const port = await until('it serves', () => /served at port (\d+)/.exec(program.said)?.[1])
  const ask = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${port}/catalogs/community/${path}`)
  await client.create(catalogSources, {
    metadata: community,
    spec: {
      image: `${registry.host}/${repository}:latest`,
      poll: { intervalMs: 1000, startingAt: '2026-01-01T00:00:00Z' },
      pullSecret: { name: pullSecret.name },
      caBundle: Buffer.from(registry.ca).toString('base64'),
    },
  })
  await until('the missing pull secret is named', reason('UpToDate', 'NoPullSecret'))
  await client.create(secrets, { metadata: pullSecret, type: 'kubernetes.io/dockerconfigjson', ...password('secret') })
  await until('the index serves', serves(first.index))
  const path = (await (await ask('upgrades/etcd/stable?name=etcd.v1.0.0&version=1.0.0')).json()) as { name: string }[]
  if (path.map(({ name }) => name).join() !== 'etcd.v1.1.0') throw new Error(`another path: ${JSON.stringify(path)}`)
  say('an index of pointers serves, once its pull secret is there')

  const of = (minor: number, blob: string): string => `packages/etcd/bundles/etcd.v1.${minor}.0/layers/${blob}`
  if ((await (await ask(of(0, zeroth.blob))).text()) !== 'the bundle 0') throw new Error('another bundle')
  await registry.corrupt(first.blob, () => Buffer.from('the bundle x'))
  if ((await ask(of(1, first.blob))).status !== 502) throw new Error('a corrupt bundle was given')
  await until('the corrupt bundle is reported', reason('BundlesReady', 'WrongDigest'))
  say('a bundle is fetched by its digest, and a corrupt one is refused')

  await publish(index.toBytes().subarray(0, 2000))
  await until('half an index is reported', reason('UpToDate', 'InvalidIndex'))
  if (!(await serves(first.index)())) throw new Error('half an index serves')
  const second = await release(2)
  await client.patch(catalogSources, community, { spec: { poll: { intervalMs: 2000 } } })
  await until('the next index serves', serves(second.index))
  say('half an index changes nothing, and a whole one is taken')

  registry.credentials = { username: 'puller', password: 'rotated' }
  registry.revoke()
  await until('the registry refuses the old password', reason('UpToDate', 'Unauthorized'))
  await client.patch(secrets, pullSecret, password('rotated'))
  await until('the rotated password works', reason('UpToDate', 'AsExpected'))
  await registry.stop()
  await until('the registry is gone', reason('UpToDate', 'RegistryUnavailable'))
  if ((await ask('channels/etcd/stable')).status !== 200) throw new Error('the last index does not serve')
  await registry.start()
  await until('the registry is asked again', reason('UpToDate', 'AsExpected'))
  say('a rotated pull secret works at once, and the last index serves while the registry is gone')
  await rest(program)
}
