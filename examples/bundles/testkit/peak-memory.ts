/** The program of a child: parses a text that its parent sends, and answers how many bytes the process had more at its peak. */
import { YamlThread } from '../bundle/yaml-thread.ts'

process.once('message', async (text: string) => {
  const content = Buffer.from(text)
  const before = process.memoryUsage.rss()
  const parsed = await new YamlThread().parse(new Map([['a.yaml', content]]), new AbortController().signal)
  // `maxRSS` is in KiB.
  const peak = process.resourceUsage().maxRSS * 1024 - before
  process.send?.({ peak, documents: parsed.get('a.yaml')?.length })
  process.disconnect()
})
