import { killAll } from './test/command.ts'

/**
 * Runs a tool, and exits with the code that it gives: 1, with its error and how it is used, if it rejects. A signal ends the
 * commands that it is running too.
 */
export async function program(name: string, usage: string, main: () => Promise<number>): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      killAll(signal)
      console.log(`stopped by ${signal}`)
      process.exit(signal === 'SIGINT' ? 130 : 143)
    })
  }
  try {
    process.exitCode = await main()
  } catch (error) {
    console.error(`${name}: ${error instanceof Error ? error.message : error}\n${usage}`)
    process.exitCode = 1
  }
}
