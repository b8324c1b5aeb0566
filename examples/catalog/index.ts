/** The command: `node index.ts create|add|remove|default|prune|push`. */
import { indexCommand, usage } from './index/command.ts'

const args = process.argv.slice(2)
if (args.includes('--help')) process.stdout.write(`${usage}\n`)
else {
  try {
    await indexCommand(args, { env: process.env, write: text => process.stdout.write(text) })
  } catch (error) {
    process.stderr.write(`index: ${(error as Error).message}\n`)
    process.exitCode = 1
  }
}
