/** Given to Node with `--import`: a program says its memory when it is asked to, and does not outlive who has started it. */
import { settledMemory } from '../demo/game/memory.ts'

process.on('message', word => {
  if (word === 'memory') process.send?.(settledMemory())
})
process.on('disconnect', () => process.exit(1))
// That somebody may ask does not keep the program alive.
process.channel?.unref()
