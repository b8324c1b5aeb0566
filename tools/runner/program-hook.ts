/**
 * Given to Node with `--import`: a program says its memory when it is asked to, says at its end which keys did not come to rest, and does not outlive the
 * process that has started it.
 */
import { subscribe } from 'node:diagnostics_channel'
import { writeSync } from 'node:fs'
import { settledMemory } from '../demo/game/memory.ts'

process.on('message', word => {
  if (word === 'memory') process.send?.(settledMemory())
})
subscribe('wherry.operator.start', operator => {
  const { state } = operator as { state(): { controllers: readonly { readonly loops: readonly string[] }[] } }
  process.on('exit', () => {
    for (const { loops } of state().controllers) for (const loop of loops) writeSync(2, `${loop}\n`)
  })
})
process.on('disconnect', () => process.exit(1))
// That somebody may ask does not keep the program alive.
process.channel?.unref()
