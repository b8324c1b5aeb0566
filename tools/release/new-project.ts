import { join } from 'node:path'
import { npm } from './npm.ts'
import type { LocalRegistry } from './registry.ts'

/**
 * Makes a project from the packages of a registry, as a newcomer does: `npm create wherry-operator`, `npm install` and `npm test`. Resolves with its folder.
 * Rejects with what npm said if one of them fails.
 *
 * @param more variables for npm. @default none
 */
export async function newProject(
  parent: string,
  { npmrc }: LocalRegistry,
  more: NodeJS.ProcessEnv = {},
): Promise<string> {
  const project = join(parent, 'game-operator')
  const options = ['--group', 'arcade.example.com', '--kind', 'Game']
  const env = { npm_config_userconfig: npmrc, npm_config_loglevel: 'error', ...more }
  for (const [folder, args] of [
    [parent, ['create', '--yes', 'wherry-operator', 'game-operator', '--', ...options]],
    [project, ['install']],
    [project, ['test']],
  ] as const) {
    const { code, output } = await npm(folder, args, env)
    if (code !== 0) throw new Error(`npm ${args.join(' ')} fails:\n${output}`)
  }
  return project
}
