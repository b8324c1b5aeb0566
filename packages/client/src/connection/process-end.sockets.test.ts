import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type EmbeddedApiServer, startApiServer } from '@wherry/testing'
import { afterEach, expect, it } from 'vitest'

const program = new URL('./testkit/short-program.ts', import.meta.url).pathname
const fromSource = new URL('../../../../test/examples/from-source.ts', import.meta.url).href

let server: EmbeddedApiServer | undefined
let started: ChildProcess | undefined

afterEach(async () => {
  if (started?.exitCode === null && started.signalCode === null) {
    started.kill('SIGKILL')
    await once(started, 'close')
  }
  await server?.close()
})

async function serverWithTwo({ tls }: { readonly tls: boolean }): Promise<EmbeddedApiServer> {
  const started = await startApiServer({ tls, clusterObjects: false })
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap' }
  await started.fill(['a', 'b'].map(name => ({ ...configMap, metadata: { name, namespace: 'default' } })))
  return started
}

/** What it says, and how it ends. */
function run(options: object): { readonly said: string[]; readonly ended: Promise<unknown> } {
  const { url, ca, token } = server as EmbeddedApiServer
  const argument = JSON.stringify({ url, ca, token, ...options })
  const child = spawn(process.execPath, ['--import', fromSource, program, argument], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  started = child
  const said: string[] = []
  child.stdout.setEncoding('utf8').on('data', (text: string) => said.push(...text.trim().split('\n')))
  return { said, ended: once(child, 'close').then(([code]) => code) }
}

for (const protocol of ['HTTP/2', 'HTTP/1.1']) {
  it(`a program that has done its work ends, though nobody closed its client (${protocol})`, async () => {
    server = await serverWithTwo({ tls: protocol === 'HTTP/2' })
    const { said, ended } = run({})
    expect(await ended).toBe(0)
    expect(said).toEqual(['read 2', 'done'])
  })

  it(`a program that closes its client sees it closed (${protocol})`, async () => {
    server = await serverWithTwo({ tls: protocol === 'HTTP/2' })
    const { said, ended } = run({ close: true })
    expect(await ended).toBe(0)
    expect(said).toEqual(['read 2', 'done'])
  })

  it(`a program does not load Node's fetch, which takes 14 MB (${protocol})`, async () => {
    server = await serverWithTwo({ tls: protocol === 'HTTP/2' })
    const { said, ended } = run({ fetches: true })
    expect(await ended).toBe(0)
    expect(said).toEqual(['read 2', 'without fetch', 'done'])
  })

  it(`a program lives until what it asked for is there (${protocol})`, async () => {
    server = await serverWithTwo({ tls: protocol === 'HTTP/2' })
    await server.faults.add({ match: { verb: 'list' }, nth: 2, effect: { kind: 'delay', ms: 300 } })
    const { said, ended } = run({ patient: true })
    expect(await ended).toBe(0)
    expect(said).toEqual(['read 2', 'there are 2', 'done'])
  })
}
