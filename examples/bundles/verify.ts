import type { Deployment } from '@wherry/client/resources/apps'
import { deployments } from '@wherry/client/resources/apps'
import { configMaps, events, namespaces, secrets } from '@wherry/client/resources/core'
import { conditionOf } from '@wherry/controller'
import type { Stage } from '../../tools/runner/stage.ts'
import { platformOperators } from './platform-operator.ts'
import { archiveOf, bundleOf } from './testkit/bundles.ts'
import { StandInCatalog } from './testkit/stand-in-catalog.ts'

const home = 'chess-system'
const others = [
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'hours' }, data: { monday: '10' } },
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'licence' }, stringData: { key: 'none' } },
  { apiVersion: 'v1', kind: 'Service', metadata: { name: 'chess' }, spec: { ports: [{ port: 80 }] } },
  {
    ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'chess' } },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'chess' } } },
  },
  { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'chess-priority' }, value: 100 },
]

/** Plays the users of the operator, and a catalog that has bundles. */
export async function verify(stage: Stage): Promise<void> {
  const catalog = await StandInCatalog.start()
  try {
    await play(stage, catalog)
  } finally {
    await catalog.close()
  }
}

async function play({ client, start, rest, until, say }: Stage, catalog: StandInCatalog): Promise<void> {
  const condition = (name: string, type: string, wanted: string) => async () => {
    const found = conditionOf((await client.get(platformOperators, { name }))?.status?.conditions, type)
    return `${found?.status} ${found?.reason}` === wanted
  }
  const install = (name: string, namespace = home): Promise<unknown> =>
    client.create(platformOperators, { metadata: { name }, spec: { package: name, namespace } })
  const isGone = (name: string) => async () => (await client.get(platformOperators, { name })) === undefined
  const program = start('--catalog', catalog.url, '--poll-ms', '300')

  await install('chess')
  await until('the missing package is named', condition('chess', 'Installed', 'False NotInCatalog'))
  catalog.release('chess', await bundleOf({ name: 'chess', defines: 'Board', others }))
  await until('it is installed', condition('chess', 'Installed', 'True Installed'))
  await until('it is not healthy yet', condition('chess', 'Healthy', 'False NotAvailable'))
  const conditions = [{ type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' }]
  await client.status.patch(deployments, { name: 'chess', namespace: home }, { status: { conditions } } as Deployment)
  await until('it is healthy', condition('chess', 'Healthy', 'True AllAvailable'))
  say('a bundle is installed from the catalog, without pods, and its health is reported')

  const hours = { name: 'hours', namespace: home }
  await client.patch(configMaps, hours, { data: { monday: 'closed' } })
  await until('the change is undone', async () => (await client.get(configMaps, hours))?.data?.monday === '10')
  await client.delete(secrets, { name: 'licence', namespace: home })
  await until(
    'it is there again',
    async () => (await client.get(secrets, { name: 'licence', namespace: home })) !== undefined,
  )
  say('what is changed or deleted by hand is repaired')

  catalog.release(
    'chess',
    await bundleOf({ name: 'chess', version: '1.1.0', defines: 'Board', others: others.slice(1) }),
    '1.1.0',
  )
  await until(
    'the next release is installed, without the ConfigMap',
    async () => (await client.get(configMaps, hours)) === undefined,
  )
  say('an upgrade takes away what the next release has no more')

  const own = ['UnsupportedInstallMode', await bundleOf({ name: 'evil', modes: ['OwnNamespace'] })] as const
  const hooks = ['NeedsWebhooks', await bundleOf({ name: 'evil', webhooks: 1 })] as const
  const unsafe = ['UnsafePath', await archiveOf([['../../etc/passwd', 'x']])] as const
  await install('evil')
  for (const [reason, archive] of [own, hooks, unsafe, own]) {
    catalog.release('evil', archive)
    await until(`it is refused by ${reason}`, condition('evil', 'Installed', `False ${reason}`))
  }
  await until('the refusal that came again is counted', async () => {
    const { items } = await client.list(events)
    return items.some(({ reason, involvedObject, count }) => {
      return involvedObject.name === 'evil' && reason === 'UnsupportedInstallMode' && count === 2
    })
  })
  await client.delete(platformOperators, { name: 'evil' })
  await until('it is gone', isGone('evil'))
  say('bundles that can’t be installed, and hostile ones, say why, in a condition and in events')

  const mine = { namespace: home, name: 'mine' }
  await client.create(configMaps, { metadata: mine })
  await client.delete(platformOperators, { name: 'chess' })
  await until('it is gone', isGone('chess'))
  const left = await client.list(deployments.within({ namespaces: [home] }))
  if (left.items.length > 0) throw new Error('a Deployment was left')
  await until('the namespace that stays is reported', async () => {
    const { items } = await client.list(events)
    return items.some(({ reason, message }) => reason === 'NamespaceKept' && message?.endsWith('ConfigMap mine'))
  })
  const kept = await client.get(configMaps, mine)
  if (kept === undefined || kept.metadata?.deletionTimestamp !== undefined)
    throw new Error('it deletes what it did not make')
  say('what goes takes with it what it made, and not a namespace that holds anything else')

  catalog.release('go', await bundleOf({ name: 'go' }))
  await install('go', 'go-system')
  await until('it is installed', condition('go', 'Installed', 'True Installed'))
  await client.delete(platformOperators, { name: 'go' })
  await until(
    'the namespace goes',
    async () => (await client.get(namespaces, { name: 'go-system' }))?.status?.phase !== 'Active',
  )
  say('a namespace that holds nothing else goes, too')
  await rest(program, '--catalog', catalog.url, '--poll-ms', '300')
}
