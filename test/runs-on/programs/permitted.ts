/**
 * An API server with the definition of games, and the operator of the quickstart under the flags of docs/security.md, which are given. A user makes a game.
 *
 *     node permitted.ts COMMAND …
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, defineResource, type KubernetesObject } from '@wherry/client'
import { configMaps, secrets } from '@wherry/client/resources/core'
import { install, startApiServer } from '@wherry/testing'

const folder = mkdtempSync(join(tmpdir(), 'wherry-permitted-'))
const games = defineResource<KubernetesObject & { spec: object }>({
  ...{ group: 'arcade.example.com', version: 'v1', kind: 'Game', plural: 'games', namespaced: true },
})
await using server = await startApiServer()
await install(server, 'crd')
await using client = new Client({ url: server.url, ca: server.ca, token: server.token })
const kubeconfig = join(folder, 'kubeconfig')
await server.writeKubeconfig(kubeconfig)
const namespace = 'default'
await client.create(secrets, { metadata: { name: 'licence', namespace }, stringData: { key: 'x' } })
await client.create(games, {
  metadata: { name: 'chess', namespace },
  spec: { title: 'Chess', licenceSecret: 'licence' },
})

const [file = '', ...args] = process.argv.slice(2).map(arg => arg.replace('CREDENTIALS', folder))
const child = spawn(file, args, { stdio: 'inherit', env: { ...process.env, KUBECONFIG: kubeconfig, PORT: '0' } })
const exit = once(child, 'exit')
const ended = new AbortController()
void exit.then(() => ended.abort())
try {
  for await (const event of client.watch(configMaps, { signal: ended.signal })) {
    if (event.type === 'BOOKMARK' || event.object.metadata.name !== 'chess-settings') continue
    console.log('the game has its settings')
    child.kill('SIGTERM')
    break
  }
} catch (error) {
  if (!ended.signal.aborted) throw error
}
const [code, signal] = await exit
console.log(`exit ${code ?? signal}`)
rmSync(folder, { recursive: true })
