/**
 * Deploys an operator of games as `kubectl apply -k deploy` and a kubelet do: what the kustomization names is created on an API server, a real one if there
 * is one, and `main.ts` runs as the ServiceAccount of the Deployment, with its own packages. A user makes a game, and gets its ConfigMap.
 *
 *     node deployed.ts FOLDER
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, defineResource, type KubernetesObject } from '@wherry/client'
import { configMaps, secrets } from '@wherry/client/resources/core'
import { startApiServer } from '@wherry/testing'
import { realApiServerAvailable } from '@wherry/testing/real/testkit/available'
import { Manifest, userOf } from '../../tools/runner/manifest.ts'
import { writePodKubeconfig } from '../../tools/runner/pod-kubeconfig.ts'
import { Program } from '../../tools/runner/program.ts'
import { untilOf } from '../../tools/runner/until.ts'

const [folder = ''] = process.argv.slice(2)
const games = defineResource<KubernetesObject & { spec: object }>({
  ...{ group: 'arcade.example.com', version: 'v1', kind: 'Game', plural: 'games', namespaced: true },
})
const token = 'token-of-the-pod'

const manifest = new Manifest(folder)
const { user, groups } = userOf(manifest.workload)
const hasReal = await realApiServerAvailable('the deployed operator on a real API server')
const home = await mkdtemp(join(tmpdir(), 'wherry-deployed-'))
await using server = await startApiServer({
  ...{ kind: hasReal ? 'real' : 'embedded', authorization: 'RBAC', tokens: { [token]: { name: user, groups } } },
})
await using client = new Client({ url: server.url, ca: server.ca, token: server.token })
let program: Program | undefined
const until = untilOf(new AbortController().signal, () => program?.check())
try {
  await manifest.create(server, client, until)
  const kubeconfig = join(home, 'kubeconfig')
  await writePodKubeconfig(kubeconfig, server, { token, namespace: manifest.workload.namespace })
  const env = { KUBECONFIG: kubeconfig, PORT: '0' }
  program = new Program({ main: join(folder, 'main.ts'), args: [], cwd: folder, env, execArgv: [] })
  const namespace = 'default'
  await client.create(games, { metadata: { name: 'go', namespace }, spec: { title: 'Go', secret: 'key' } })
  await client.create(secrets, { metadata: { name: 'key', namespace }, stringData: { black: 'x' } })
  await until('the ConfigMap is there', async () => {
    const made = await client.get(configMaps, { name: 'go-config', namespace })
    return made?.data?.title === 'Go' && made.data.keys === 'black'
  })
  await program.stop()
  console.log(`deployed on the ${server.kind} API server`)
} finally {
  await program?.kill()
  await rm(home, { recursive: true })
}
