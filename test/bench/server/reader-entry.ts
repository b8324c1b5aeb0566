/** A process that does nothing but read: answers each {@link RawRequest} with what came. */
import type { RawRequest } from './raw-read.ts'
import { readRaw } from './raw-read.ts'

process.on('message', (request: RawRequest) => {
  readRaw(request).then(
    answer => process.send?.(answer),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
