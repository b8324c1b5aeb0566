/** The whole of a subject's process: waits for its order, measures once, answers, and lives until it is ended. */
import type { ServerAddress, SubjectContext, SubjectModule } from './bench.ts'
import { readMemory } from './memory.ts'

/** What the harness sends. */
export interface Order {
  readonly module: string
  readonly objects: number
  readonly options: SubjectContext['options']
  readonly server?: ServerAddress | undefined
}

process.on('message', (order: Order) => {
  measure(order).then(
    metrics => process.send?.({ metrics }),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})

async function measure(order: Order): Promise<unknown> {
  const start = readMemory()
  const subject = (await import(order.module)) as SubjectModule
  return subject.run({
    objects: order.objects,
    options: order.options,
    start,
    server() {
      if (order.server === undefined) throw new Error('this bench has no server')
      return order.server
    },
  })
}
