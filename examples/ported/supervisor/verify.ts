import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { pods } from '@wherry/client/resources/core'
import type { Stage } from '../../../tools/runner/stage.ts'
import type { Failure } from './operator.ts'

const namespace = 'tasks'
/** What the namespace asks of pods: `wherry manifests` labels it so. */
const podSecurity = { securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } } }
const securityContext = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } }

/** Plays what starts pods, what runs them, and what takes reports. */
export async function verify({ client, start, rest, until, say }: Stage): Promise<void> {
  const reports: Failure[] = []
  let isDown = false
  const taker = createServer(async (request, answer) => {
    const failure = (await json(request)) as Failure
    if (!isDown) reports.push(failure)
    answer.writeHead(isDown ? 503 : 204).end()
  }).listen(0, '127.0.0.1')
  await once(taker, 'listening')
  const args = [
    '--reports',
    `http://127.0.0.1:${(taker.address() as AddressInfo).port}/`,
    '--most',
    '4',
    '--fewest',
    '2',
  ]
  try {
    const program = start(...args)
    const add = (name: string, labels: Record<string, string> = { app: 'task-run' }) =>
      client.create(pods, {
        metadata: { namespace, name, labels },
        spec: {
          ...podSecurity,
          containers: [{ name: 'task', image: 'task', securityContext }],
          restartPolicy: 'Never',
        },
      })
    const end = (name: string, exitCode: number, reason: string) => {
      const terminated = { exitCode, reason }
      const one = { name: 'task', image: 'task', imageID: '', ready: false, restartCount: 0, state: { terminated } }
      const status = { phase: exitCode === 0 ? 'Succeeded' : 'Failed', containerStatuses: [one] }
      return client.status.patch(pods, { namespace, name }, { status })
    }
    const isGone = async (name: string) => (await client.get(pods, { namespace, name })) === undefined
    const gate = async (): Promise<number> => {
      const [, port] = /the gate has port (\d+)/.exec(program.said) ?? []
      return port === undefined ? 0 : (await fetch(`http://127.0.0.1:${port}/`)).status
    }
    await until('pods may be started', async () => (await gate()) === 204)

    await add('first')
    await end('first', 137, 'OOMKilled')
    await until('the pod that failed is gone', () => isGone('first'))
    const [{ uid: _, ...first }] = reports as [Failure]
    if (JSON.stringify(first) !== '{"pod":"first","reason":"OOMKilled","exitCode":137}' || reports.length !== 1)
      throw new Error(`reported was ${JSON.stringify(reports)}`)
    say('a pod that failed is reported once, and deleted')

    await add('second')
    await end('second', 0, 'Completed')
    await until('the pod that succeeded is gone', () => isGone('second'))
    await add('other', { app: 'other' })
    await end('other', 1, 'Error')
    say('a pod that succeeded is deleted')

    isDown = true
    await add('third')
    await end('third', 1, 'Error')
    await until('its report has failed', () => program.said.includes('answers 503 to the report of third'))
    if (await isGone('third')) throw new Error('a pod is gone, but its report did not arrive')
    isDown = false
    await until('it is reported and gone', () => isGone('third'))
    say('a report that does not arrive is sent again, and its pod stays until then')

    for (const name of ['a', 'b', 'c', 'd']) await add(name)
    await until('no more may be started', async () => (await gate()) === 503)
    await client.delete(pods, { namespace, name: 'a' })
    await client.delete(pods, { namespace, name: 'b' })
    await until('pods may be started again', async () => (await gate()) === 204)
    say('from four pods on none may be started, until there are two')

    if (reports.some(({ pod }) => pod === 'other') || (await isGone('other')))
      throw new Error('a pod of somebody else was touched')
    await rest(program, ...args)
  } finally {
    taker.close()
  }
}
