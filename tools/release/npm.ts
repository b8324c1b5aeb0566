import { command, type Ended, toolEnvironment } from '../test/command.ts'

/** npm as a stranger has it, with none of the variables that `npm test` or `npm run` itself was given. */
export function npm(folder: string, args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const own = Object.entries(toolEnvironment()).filter(
    ([name]) => !/^npm_(package|lifecycle|command|config_local_prefix)/.test(name),
  )
  return command('npm', args, { cwd: folder, env: { ...Object.fromEntries(own), ...more }, limitMs: 300_000 })
}
