import {
  CoreV1Api,
  CustomObjectsApi,
  type Informer,
  KubeConfig,
  type KubernetesListObject,
  type KubernetesObject,
  makeInformer,
  type ObjectCache,
  setHeaderOptions,
} from '@kubernetes/client-node'
import { type Data, type Game, games } from '../game.ts'
import type { Address, Surroundings } from '../mode.ts'

const RETRY_MS = 1_000
const { group, version, plural } = games.resource

/** Informers of the official client on both kinds, as its documentation has them, and a set of pending keys. */
export async function start(around: Surroundings): Promise<() => Promise<void>> {
  const { namespace, reconcile, onError } = around
  const config = kubeConfigFor(around.address)
  const core = config.makeApiClient(CoreV1Api)
  const custom = config.makeApiClient(CustomObjectsApi)
  const of = { group, version, namespace, plural }
  const path = `/api/v1/namespaces/${namespace}`

  const levels = makeInformer(config, `${path}/configmaps`, () => core.listNamespacedConfigMap({ namespace }))
  const licences = makeInformer(config, `${path}/secrets`, () => core.listNamespacedSecret({ namespace }))
  const gamesPath = `/apis/${group}/${version}/namespaces/${namespace}/${plural}`
  const listGames = (): Promise<KubernetesListObject<KubernetesObject>> => custom.listNamespacedCustomObject(of)
  const gamesThere = makeInformer(config, gamesPath, listGames)

  const pending = new Set<string>()
  let isWorking = false
  let isOver = false
  const work = async (): Promise<void> => {
    if (isWorking || isOver) return
    isWorking = true
    for (const name of pending) {
      pending.delete(name)
      const game = gamesThere.get(name, namespace) as Game | undefined
      const writeStatus = async (digest: string): Promise<void> => {
        const merge = setHeaderOptions('Content-Type', 'application/merge-patch+json')
        await custom.patchNamespacedCustomObjectStatus({ ...of, name, body: { status: { digest } } }, merge)
      }
      const world = {
        levels: async (it: string) => dataOf(levels.get(it, namespace)),
        licence: async (it: string) => dataOf(licences.get(it, namespace)),
        writeStatus,
      }
      if (game === undefined) continue
      await reconcile(game, world).catch((error: unknown) => {
        onError(error as Error)
        setTimeout(() => add(name), RETRY_MS).unref()
      })
    }
    isWorking = false
  }
  const add = (name: string | undefined): void => {
    pending.add(name ?? '')
    void work()
  }
  const needs = ({ metadata }: KubernetesObject): void => {
    for (const game of gamesThere.list() as unknown as readonly Game[]) {
      const isNeeded = game.spec?.levels === metadata?.name || game.spec?.licence === metadata?.name
      if (isNeeded) add(game.metadata?.name)
    }
  }
  const informers: (Informer<KubernetesObject> & ObjectCache<KubernetesObject>)[] = [levels, licences, gamesThere]
  for (const informer of informers) {
    const received = informer === gamesThere ? ({ metadata }: KubernetesObject) => add(metadata?.name) : needs
    informer.on('error', error => {
      if (!isOver) onError(error as Error)
    })
    // Games last: a handler of one finds what it needs.
    await informer.start()
    for (const event of ['add', 'update', 'delete'] as const) informer.on(event, received)
  }
  for (const { metadata } of gamesThere.list()) add(metadata?.name)
  return async () => {
    isOver = true
    for (const informer of informers) await informer.stop()
  }
}

function dataOf(object: KubernetesObject | undefined): Data | undefined {
  return (object as { readonly data?: Data } | undefined)?.data
}

function kubeConfigFor({ url, ca, token, cert, key, tlsServerName }: Address): KubeConfig {
  const config = new KubeConfig()
  const base64 = (pem: string | undefined): string | undefined => (pem === undefined ? undefined : btoa(pem))
  config.loadFromOptions({
    clusters: [{ name: 'demo', server: url, caData: base64(ca), tlsServerName, skipTLSVerify: false }],
    users: [{ name: 'demo', token, certData: base64(cert), keyData: base64(key) }],
    contexts: [{ name: 'demo', cluster: 'demo', user: 'demo' }],
    currentContext: 'demo',
  })
  return config
}
