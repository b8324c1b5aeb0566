/**
 * An API server, and `operator.ts` as a process of another runtime that is given as the command.
 *
 *     node serve.ts COMMAND …
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startApiServer } from '@wherry/testing'

const folder = mkdtempSync(join(tmpdir(), 'wherry-runs-on-'))
await using server = await startApiServer()
await using other = await startApiServer()
const kubeconfig = join(folder, 'kubeconfig')
await server.writeKubeconfig(kubeconfig)
const namespace = 'default'
const source = (name: string): object => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, labels: { copied: 'yes' } } },
})
await server.fill([source('a')])
const { certPem, keyPem } = await server.clientCertificate({ commonName: 'admin', organizations: ['system:masters'] })

const [file = '', ...args] = process.argv.slice(2)
const env = {
  ...process.env,
  ...{ KUBECONFIG: kubeconfig, URL: server.url, TOKEN: server.token, CA: server.ca, OTHER_URL: other.url },
  ...{ CERTIFICATE: certPem, KEY: keyPem },
}
const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'], env })
const exit = once(child, 'exit')
const then: Readonly<Record<string, () => unknown>> = {
  'copied a with none': async () => {
    await server.breakConnections()
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'narrow', namespace }, data: { x: 'eA==' } }
    await server.fill([secret])
  },
  'copied a with eA==': () => child.kill('SIGTERM'),
}
for await (const line of createInterface({ input: child.stdout })) {
  console.log(line)
  await then[line]?.()
}
const [code, signal] = await exit
console.log(`exit ${code ?? signal}`)
rmSync(folder, { recursive: true })
