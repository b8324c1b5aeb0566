import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@wherry/client'
import { configMaps } from '@wherry/client/resources/core'
import { startApiServer } from '@wherry/testing'
import { sinkChecks } from '@wherry/watch-manager/testing'
import { describe, expect, it, vi } from 'vitest'
import { SqliteSink } from '../../examples/custom-registrar/sqlite-sink.ts'

const main = join(import.meta.dirname, '../../examples/custom-registrar/main.ts')
const hook = join(import.meta.dirname, 'from-source.ts')

function folder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'wherry-registrar-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

const children: ChildProcess[] = []

/** The example, in a process of its own. */
function start(kubeconfig: string, file: string): { readonly child: ChildProcess; readonly said: () => string } {
  const child = spawn(process.execPath, ['--import', hook, main, file], {
    env: { ...process.env, KUBECONFIG: kubeconfig },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  return { child, said: () => said }
}

describe('the sink', () => {
  const make = () => {
    const { path, remove } = folder()
    const file = join(path, 'objects.db')
    const sinks: SqliteSink[] = []
    const open = (): SqliteSink => {
      const sink = new SqliteSink(file)
      sinks.push(sink)
      return sink
    }
    return {
      open,
      contents: (view: Parameters<SqliteSink['contents']>[0]) => open().contents(view),
      close: () => {
        for (const sink of sinks) sink.close()
        remove()
      },
    }
  }
  for (const { name, run } of sinkChecks(make)) it(`W12: ${name}`, run)
})

it('X10: whenever it is killed, the table ends equal to the cluster', async () => {
  const { path, remove } = folder()
  const [kubeconfig, file] = [join(path, 'kubeconfig'), join(path, 'objects.db')]
  const server = await startApiServer()
  const client = new Client({ url: server.url, ca: server.ca, token: server.token })
  const sink = new SqliteSink(file)
  const table = (): number => sink.contents(configMaps).size
  const put = (name: string, value: string): Promise<unknown> =>
    client.apply(configMaps, { metadata: { namespace: 'default', name }, data: { value } }, { fieldManager: 'test' })
  const cluster = async (): Promise<Map<string, string>> => {
    const { items } = await client.list(configMaps)
    return new Map(
      items.map(({ metadata }) => [`${metadata?.namespace}/${metadata?.name}`, metadata?.resourceVersion ?? '']),
    )
  }
  try {
    await server.writeKubeconfig(kubeconfig)
    for (let i = 0; i < 200; i++) await put(`a${i}`, 'first')

    // As soon as it has written something: in the midst of its replay, as likely as not.
    const first = start(kubeconfig, file)
    await vi.waitFor(() => expect(table(), first.said()).toBeGreaterThan(0), { interval: 1 })
    first.child.kill('SIGKILL')
    await once(first.child, 'close')

    for (let i = 0; i < 100; i++) await client.delete(configMaps, { namespace: 'default', name: `a${i}` })
    for (let i = 100; i < 120; i++) await put(`a${i}`, 'second')
    for (let i = 0; i < 20; i++) await put(`b${i}`, 'second')

    // While changes come in.
    const second = start(kubeconfig, file)
    await vi.waitFor(() => expect(second.said()).toContain('synced'))
    expect(sink.contents(configMaps)).toEqual(await cluster())
    const changes = Array.from({ length: 20 }, (_, i) => put(`c${i}`, 'third'))
    await changes[0]
    second.child.kill('SIGKILL')
    await once(second.child, 'close')
    await Promise.all(changes)
    await client.delete(configMaps, { namespace: 'default', name: 'b0' })

    const third = start(kubeconfig, file)
    await vi.waitFor(() => expect(third.said()).toContain('synced'))
    expect(sink.contents(configMaps)).toEqual(await cluster())
    await put('b0', 'fourth')
    await client.delete(configMaps, { namespace: 'default', name: 'b1' })
    const wanted = await cluster()
    await vi.waitFor(() => expect(sink.contents(configMaps)).toEqual(wanted))
    third.child.kill('SIGTERM')
    expect(await once(third.child, 'close')).toEqual([0, null])
    expect(third.said()).toMatch(/^synced: \d+ objects\n$/)
  } finally {
    for (const child of children.splice(0)) child.kill('SIGKILL')
    sink.close()
    await client.close()
    await server.close()
    remove()
  }
})
