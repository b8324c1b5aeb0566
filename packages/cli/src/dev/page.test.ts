import { expect, it } from 'vitest'
import type { Run } from './messages.ts'
import { Overview } from './overview.ts'
import { servePage } from './page.ts'

const run = (key: string): Run => ({
  ...{ controller: 'game', key, why: '', outcome: 'failed', startedAt: 1, tookMs: 1 },
  error: 'x'.repeat(1000),
})

it('an overview that is larger than a socket takes at once is sent once for each change', async () => {
  const overview = new Overview('https://127.0.0.1')
  for (let at = 0; at < 300; at += 1) overview.receive({ type: 'run', run: run(`${at}`) })
  await using page = await servePage(overview, 0, async () => 'idle')
  const ending = new AbortController()
  const response = await fetch(page.url.replace('/?', '/events?'), { signal: ending.signal })
  const sizes: number[] = []
  let open = ''
  const received = async (isLast: (data: string) => boolean): Promise<void> => {
    for await (const chunk of response.body?.values({ preventCancel: true }) ?? []) {
      open += Buffer.from(chunk).toString()
      const [data, ...rest] = open.split('\n\n')
      if (rest.length === 0) continue
      open = rest.join('\n\n')
      sizes.push(data?.length ?? 0)
      if (isLast(data ?? '')) return
    }
  }
  // The first may come before the last change of the loop was noted.
  await received(data => data.includes('"299"'))
  // What would be sent again has been by then.
  for (let at = 0; at < 3; at += 1) await (await fetch(page.url)).text()
  const before = sizes.length
  overview.receive({ type: 'run', run: run('last') })
  await received(data => data.includes('"last"'))
  expect(sizes.length - before).toBe(1)
  ending.abort()
})
