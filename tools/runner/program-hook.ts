/**
 * Given to Node with `--import`: a program says its memory when it is asked to, and when its operator has settled, says at its end which keys did not come to
 * rest, and does not outlive the process that has started it.
 */
import { subscribe } from 'node:diagnostics_channel'
import { writeSync } from 'node:fs'
import { settledMemory } from '../demo/game/memory.ts'

/** As far as it is looked at here. */
interface StartedOperator {
  state(): { readonly controllers: readonly { readonly loops: readonly string[] }[] }
  settled(options: { readonly timeoutMs: number }): Promise<void>
}

const started = Promise.withResolvers<StartedOperator>()

process.on('message', word => {
  if (word === 'memory') process.send?.(settledMemory())
  if (word === 'settle') void settle()
})

/** Says `settled`, or why the operator does not settle. */
async function settle(): Promise<void> {
  const operator = await started.promise
  await operator.settled({ timeoutMs: 120_000 }).then(
    () => process.send?.('settled'),
    error => process.send?.(`${error}`),
  )
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
