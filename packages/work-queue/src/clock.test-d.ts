/** Compiled, never run: the clocks of the environment and of simulations are clocks of a queue. */
import type * as testing from '@wherry/testing'
import { WorkQueue } from './work-queue.ts'

declare const clock: testing.Clock
new WorkQueue({ clock })
new WorkQueue<{ readonly name: string }>().add({ name: 'a' })
new WorkQueue<number>({ rateLimiter: { when: (key: number) => key, forget() {}, failures: () => 0 } })

// @ts-expect-error: a key is not undefined
new WorkQueue<string | undefined>()
// @ts-expect-error: a key of another type
new WorkQueue<number>().add('a')
