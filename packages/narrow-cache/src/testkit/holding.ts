import type { Transport } from '@wherry/client'

/** Connections on which lists of metadata do not get to the server before `release`, once `hold` was called. */
export function holding(inner: Transport): { readonly transport: Transport; hold(): void; release(): void } {
  const held: (() => void)[] = []
  let isHolding = false
  const transport: Transport = {
    async connect(target, signal) {
      const connection = await inner.connect(target, signal)
      return {
        get maxStreams() {
          return connection.maxStreams
        },
        request(head, on) {
          const isOfMetadata = `${head.headers.accept}`.includes('PartialObjectMetadata')
          if (!isHolding || !isOfMetadata || head.path.includes('watch=')) return connection.request(head, on)
          let exchange: ReturnType<typeof connection.request> | undefined
          let isOver = false
          held.push(() => {
            if (!isOver) exchange = connection.request(head, on)
          })
          return {
            pause: () => exchange?.pause(),
            resume: () => exchange?.resume(),
            abort() {
              isOver = true
              exchange?.abort()
            },
          }
        },
        ping: () => connection.ping(),
        onClose: fn => connection.onClose(fn),
        close: () => connection.close(),
      }
    },
  }
  return {
    transport,
    hold() {
      isHolding = true
    },
    release() {
      isHolding = false
      for (const send of held.splice(0)) send()
    },
  }
}
