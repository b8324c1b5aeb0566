import { Client } from '@wherry/client'
import { simulate } from '@wherry/testing'
import { memoryTransport } from '@wherry/testing/internal'
import { expect, it } from 'vitest'
import { logs } from './logs.ts'

const unavailable = JSON.stringify({ kind: 'Status', reason: 'ServiceUnavailable', message: 'not now', code: 503 })
const silence = 'silence'

it.for([
  ['refuses', unavailable],
  ['does not answer', silence],
] as const)('goes on after a clean end of the stream, though the server %s a moment later', async ([, failure]) => {
  const simulation = simulate(1)
  const { clock, environment, random } = simulation
  const [one, two] = ['2026-01-01T00:00:00Z one\n', '2026-01-01T00:00:01Z two\n']
  const pod = (state: object): string => {
    const status = { containerStatuses: [{ name: 'main', containerID: 'a', state }] }
    const metadata = { name: 'chess', namespace: 'default' }
    return JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [{ name: 'main' }] }, status })
  }
  const pods = [pod({ running: {} }), failure, pod({ terminated: {} })]
  const texts = [one, one + two]
  const transport = memoryTransport({
    clock,
    random: random.fork('network'),
    handler({ path }, reply) {
      const body = (path.includes('/log') ? texts : pods).shift() ?? ''
      if (body === silence) return
      reply.head(body === unavailable ? 503 : 200, { 'content-type': 'application/json' })
      reply.write(Buffer.from(body))
      reply.end()
    },
  })
  const lines: string[] = []
  await simulation.run(async () => {
    await using client = new Client({ url: 'http://localhost', transport, environment })
    for await (const line of logs(client, { name: 'chess', namespace: 'default' }, { follow: true })) lines.push(line)
  })
  expect(lines).toEqual(['one', 'two'])
})
