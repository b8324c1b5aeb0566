/** Given to Node with `--import`: a program says its memory when it is asked to. */
import { settledMemory } from '../demo/game/memory.ts'

process.on('message', word => {
  if (word === 'memory') process.send?.(settledMemory().rss)
})
// Nobody's asking keeps the program alive.
process.channel?.unref()
