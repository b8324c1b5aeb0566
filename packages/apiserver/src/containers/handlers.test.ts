import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { startEmbeddedApiServer } from '../start-embedded.ts'
import { type Kit, merge, withServer } from '../testkit/in-memory.ts'
import type { ExecHandler, LogLine } from './handlers.ts'

const pods = '/api/v1/namespaces/default/pods'
const pod = { metadata: { name: 'p' }, spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] } }
const status = {
  containerStatuses: [{ name: 'c', image: 'i', imageID: '', ready: true, restartCount: 0, state: { running: {} } }],
}

async function withPod({ call }: Kit): Promise<void> {
  await call('POST', pods, pod)
  await call('PATCH', `${pods}/p/status`, { status }, merge)
}

function fails(): never {
  throw new Error('no log today')
}

describe('a handler of logs that throws', () => {
  it('F1: is a 500 with the message, at once or at its first line', () =>
    withServer(async kit => {
      await withPod(kit)
      const handlers: (() => Iterable<LogLine> | AsyncIterable<LogLine>)[] = [
        fails,
        function* () {
          yield 'one'
          fails()
        },
        async function* () {
          yield 'one'
          fails()
        },
      ]
      for (const handler of handlers) {
        kit.server.onLogs(handler)
        const { status, json } = await kit.call('GET', `${pods}/p/log`)
        expect([status, json.message]).toEqual([500, 'Internal error occurred: no log today'])
      }
    }))

  it('F1: breaks off a log that is followed', () =>
    withServer(async kit => {
      await withPod(kit)
      kit.server.onLogs(async function* () {
        yield 'one'
        fails()
      })
      await expect(kit.call('GET', `${pods}/p/log?follow=true`)).rejects.toThrow('Stream closed')
    }))
})

describe('a handler of commands', () => {
  /** The status that a client receives at the end of a command. */
  async function outcomeOf(handler: ExecHandler): Promise<{ status: string; message?: string }> {
    await using server = await startEmbeddedApiServer({ clusterObjects: false, tls: false })
    const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/merge-patch+json' }
    const send = (method: string, path: string, body: object): Promise<Response> =>
      fetch(`${server.url}${path}`, { method, headers, body: JSON.stringify(body) })
    await fetch(`${server.url}${pods}`, {
      ...{ method: 'POST', body: JSON.stringify(pod) },
      headers: { ...headers, 'content-type': 'application/json' },
    })
    await send('PATCH', `${pods}/p/status`, { status })
    server.onExec(handler)
    const { authorization } = headers
    const url = `${server.url.replace('http', 'ws')}${pods}/p/exec?command=x&stdout=true`
    const socket = new WebSocket(url, 'v5.channel.k8s.io', { headers: { authorization } })
    let last: Buffer = Buffer.alloc(1)
    socket.on('message', (frame: Buffer) => {
      last = frame
    })
    await once(socket, 'close')
    return JSON.parse(last.subarray(1).toString())
  }

  it('F1: that has ended its output, and answers with more, is an error for the client', async () => {
    const ended = await outcomeOf(({ stdout }) => {
      stdout.end('one')
      return { stdout: 'two' }
    })
    expect(ended).toMatchObject({ status: 'Failure', message: expect.stringContaining('has ended stdout') })
  })

  it('F1: may destroy its streams', async () => {
    const destroyed = await outcomeOf(({ stdout }) => {
      stdout.destroy(new Error('enough'))
      return undefined
    })
    expect(destroyed).toEqual({ metadata: {}, status: 'Success' })
  })
})
