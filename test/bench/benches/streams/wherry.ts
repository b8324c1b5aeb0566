import { Client } from '@wherry/client'
import { fromUrl } from '@wherry/client/internal'
import { connectPort, exec, logs, portForward } from '@wherry/streams'
import type { Metrics, SubjectContext } from '../../harness/bench.ts'
import { drain } from './drain.ts'
import { measured } from './stage.ts'

export async function run(context: SubjectContext): Promise<Metrics> {
  const { url, ca, token } = context.server()
  await using client = new Client({ access: fromUrl(url, { ca, token }) })
  return await measured(context, {
    async log(pod) {
      let lines = 0
      for await (const _ of logs(client, pod)) lines += 1
      return lines
    },
    async exec(pod) {
      await exec(client, pod, ['true'])
    },
    async forward(pod, port) {
      await using forward = await portForward(client, pod, port)
      return await drain(forward.port)
    },
    async connect(pod, port) {
      let bytes = 0
      for await (const chunk of await connectPort(client, pod, port)) bytes += (chunk as Buffer).length
      return bytes
    },
  })
}
