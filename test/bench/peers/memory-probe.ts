/** Imported into a program that is measured: it answers each message with what it holds after a full collection. */
process.on('message', () => {
  globalThis.gc?.()
  process.send?.(process.memoryUsage())
})

// It does not outlive what measures it.
process.on('disconnect', () => process.exit())
