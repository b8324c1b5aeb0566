import type { Transport } from '@wherry/client'

/** Whether a path only asks if a resource is served: by its definition, or by discovery. */
const isProof = (path: string): boolean =>
  /^\/api(\/[^/?]+)?$|^\/apis(\/[^/?]+){0,2}$|\/customresourcedefinitions\/[^/?]+$/.test(path)

/** A transport that records its requests: a line for each list and watch. */
export function recordingTransport(inner: Transport, asked: string[]): Transport {
  return {
    async connect(target, signal) {
      const connection = await inner.connect(target, signal)
      return {
        get maxStreams() {
          return connection.maxStreams
        },
        request(head, on) {
          if (head.method === 'GET' && !isProof(head.path))
            asked.push(asLine(new URL(head.path, 'https://server').searchParams))
          return connection.request(head, on)
        },
        ping: () => connection.ping(),
        onClose: fn => connection.onClose(fn),
        close: () => connection.close(),
      }
    },
  }
}

const names: Readonly<Record<string, string>> = { resourceVersion: 'rv', resourceVersionMatch: 'match' }
const left = new Set(['watch', 'sendInitialEvents', 'allowWatchBookmarks', 'timeoutSeconds'])

/** A query in a line: `stream rv=5`, `list rv=0 limit=500`, `watch rv=5`. */
export function asLine(query: URLSearchParams): string {
  const verb = query.get('sendInitialEvents') === 'true' ? 'stream' : query.get('watch') === null ? 'list' : 'watch'
  const rest = [...query].filter(([name]) => !left.has(name) && !(verb === 'stream' && name === 'resourceVersionMatch'))
  return [verb, ...rest.map(([name, value]) => `${names[name] ?? name}=${name === 'continue' ? '…' : value}`)].join(' ')
}
