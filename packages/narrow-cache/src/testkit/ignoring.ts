import type { Transport } from '@wherry/client'

/** Connections to a server that does not know field selectors, and ignores them. */
export function ignoring(inner: Transport): Transport {
  return {
    async connect(target, signal) {
      const connection = await inner.connect(target, signal)
      return {
        get maxStreams() {
          return connection.maxStreams
        },
        request(head, on) {
          const [path = '', query = ''] = head.path.split('?')
          const left = query.split('&').filter(one => !one.startsWith('fieldSelector='))
          return connection.request({ ...head, path: `${path}?${left.join('&')}` }, on)
        },
        ping: () => connection.ping(),
        onClose: fn => connection.onClose(fn),
        close: () => connection.close(),
      }
    },
  }
}
