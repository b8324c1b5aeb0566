import { request } from 'node:https'
import { performance } from 'node:perf_hooks'
import type { Metrics } from '../../harness/bench.ts'
import { memoryAbove, readMemory } from '../../harness/memory.ts'

/** A test's server: imported, started, asked for one object by node:https. */
export async function run(): Promise<Metrics> {
  const start = readMemory()
  const begin = performance.now()
  const { startApiServer } = await import('@wherry/testing')
  const { url, ca, token, close } = await startApiServer().then(server => ({
    ...{ url: server.url, ca: server.ca, token: server.token },
    close: () => server.close(),
  }))
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` }
    const sent = request(`${url}/api/v1/namespaces/default`, { ca, headers, agent: false }, answer => {
      answer.resume().on('end', () => resolve(answer.statusCode))
    })
    sent.on('error', reject).end()
  })
  if (status !== 200) throw new Error(`the server answered ${status}`)
  const import_ms = performance.now() - begin
  const { rss_bytes, anonymous_bytes } = memoryAbove(start)
  await close()
  return { import_ms, rss_bytes, anonymous_bytes }
}
