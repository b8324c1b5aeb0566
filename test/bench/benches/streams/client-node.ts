import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { PassThrough, Writable } from 'node:stream'
import { Exec, Log, PortForward } from '@kubernetes/client-node'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { kubeConfigFor } from '../../server/client-node.ts'
import { drain } from './drain.ts'
import { measured } from './stage.ts'

/** The official client, as it is used. */
export function run(context: SubjectContext): Promise<Metrics> {
  const config = kubeConfigFor(context.server())
  return measured(context, {
    async log({ namespace, name }) {
      const stream = new PassThrough()
      await new Log(config).log(namespace, name, 'main', stream)
      let lines = 0
      for await (const _ of createInterface(stream)) lines += 1
      return lines
    },
    async exec({ namespace, name }) {
      const exec = new Exec(config)
      const nowhere = (): Writable => new Writable({ write: (_, __, done) => done() })
      await new Promise<void>((resolve, reject) => {
        const ended = (): void => resolve()
        exec.exec(namespace, name, 'main', ['true'], nowhere(), nowhere(), null, false, ended).catch(reject)
      })
    },
    async forward({ namespace, name }, port) {
      const forward = new PortForward(config)
      const server = createServer(async socket => {
        const opened = await forward.portForward(namespace, name, [port], socket, null, socket)
        const remote = typeof opened === 'function' ? opened() : opened
        // client-node leaves the local socket open.
        remote?.once('close', () => socket.end())
      }).listen(0, '127.0.0.1')
      await once(server, 'listening')
      try {
        return await drain((server.address() as AddressInfo).port)
      } finally {
        server.close()
      }
    },
  })
}
