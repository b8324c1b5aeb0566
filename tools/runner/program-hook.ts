/**
 * Given to Node with `--import`: a program says its memory when it is asked to, and when its operator has nothing left to do, says at its end which keys did not come to
 * rest, and does not outlive the process that has started it.
 */
import { subscribe } from 'node:diagnostics_channel'
import { writeSync } from 'node:fs'
import { settledMemory } from '../demo/game/memory.ts'

/** As far as it is looked at here. */
interface StartedOperator {
  state(): { readonly controllers: readonly ObservedController[] }
}

interface ObservedController {
  readonly loops: readonly string[]
  readonly pending: readonly string[]
  readonly obstacle: string | undefined
}

const started = Promise.withResolvers<StartedOperator>()

process.on('message', word => {
  if (word === 'memory') process.send?.(settledMemory())
  if (word === 'settle') void settle()
})

/** For how long nothing may be left to do, and how long it may take, in milliseconds. */
const quietMs = 500
const patienceMs = 120_000

/** What an operator has left to do. Empty if nothing. (Its `settled()` reads objects, for which a program of an example has no right.) */
function leftOf({ state }: StartedOperator): readonly string[] {
  return state().controllers.flatMap(({ obstacle, pending }) => [
    ...(obstacle === undefined ? [] : [obstacle]),
    ...pending,
  ])
}

/** Says `settled`, or what the operator has left to do. */
async function settle(): Promise<void> {
  const operator = await started.promise
  const until = performance.now() + patienceMs
  let quietSince = Number.POSITIVE_INFINITY
  for (;;) {
    const left = leftOf(operator)
    const now = performance.now()
    quietSince = left.length === 0 ? Math.min(quietSince, now) : Number.POSITIVE_INFINITY
    if (now - quietSince >= quietMs) return void process.send?.('settled')
    if (now > until) return void process.send?.(left.join(', ') || 'it never rests for half a second')
    await new Promise(resolve => setTimeout(resolve, 25))
  }
}

subscribe('wherry.operator.start', message => {
  const operator = message as StartedOperator
  started.resolve(operator)
  const { state } = operator
  process.on('exit', () => {
    for (const { loops } of state().controllers) for (const loop of loops) writeSync(2, `${loop}\n`)
  })
})
process.on('disconnect', () => process.exit(1))
// That somebody may ask does not keep the program alive.
process.channel?.unref()
