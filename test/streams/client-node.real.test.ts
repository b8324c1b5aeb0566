import { once } from 'node:events'
import { createServer } from 'node:net'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { Exec, KubeConfig, Log, PortForward, type V1Status } from '@kubernetes/client-node'
import { describe, expect, it } from 'vitest'
import { stages } from './stage.ts'

describe.each(stages)('%s', (_, open) => {
  it('client-node runs commands, reads logs and forwards ports', async () => {
    await using stage = await open()
    const config = new KubeConfig()
    config.loadFromString(JSON.stringify(stage.server.kubeconfig))
    const [stdout, stderr, stdin] = [new PassThrough(), new PassThrough(), new PassThrough()]
    stdin.end('hello')
    const status = await new Promise<V1Status>((resolve, reject) => {
      const command = ['sh', '-c', 'cat; echo wrong >&2; exit 3']
      new Exec(config).exec('default', 'chess', 'main', command, stdout, stderr, stdin, false, resolve).catch(reject)
    })
    stdout.end()
    stderr.end()
    expect(await text(stdout)).toBe('hello')
    expect(await text(stderr)).toBe('wrong\n')
    expect(status).toMatchObject({ reason: 'NonZeroExitCode', details: { causes: [{ message: '3' }] } })

    await stage.log({ time: '2026-01-01T00:00:01.500000000Z', text: 'ready' })
    const log = new PassThrough()
    await new Log(config).log('default', 'chess', 'main', log)
    expect(await text(log)).toBe('ready\n')

    const server = createServer(socket => socket.end('from the pod')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const output = new PassThrough()
    const opened = await new PortForward(config).portForward(
      'default',
      'chess',
      [port],
      output,
      null,
      new PassThrough(),
    )
    const socket = typeof opened === 'function' ? opened() : opened
    await once(socket as NonNullable<typeof socket>, 'close')
    output.end()
    expect(await text(output)).toBe('from the pod')
    server.close()
    await once(server, 'close')
  })
})
