import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { refused, wrongUsage } from '../failure.ts'

/** The commands of `wherry` in the scripts of the package, without `wherry`. */
export async function ownCommands(cwd: string): Promise<readonly (readonly string[])[]> {
  const text = await readFile(join(cwd, 'package.json'), 'utf8').catch(() => {
    throw wrongUsage('there is no package.json here')
  })
  const { scripts = {} } = JSON.parse(text) as { readonly scripts?: Readonly<Record<string, string>> }
  // The shell's words take no time to load for a command that needs none.
  const { commandsOf, ShellSyntaxError } = await import('./command-line.ts')
  return Object.entries(scripts)
    .filter(([, script]) => /\bwherry\b/.test(script))
    .flatMap(([name, script]) => {
      try {
        return commandsOf(script, cwd).flatMap(words => {
          const [first, ...args] = words[0] === 'npx' ? words.slice(1) : words
          return first === 'wherry' ? [args] : []
        })
      } catch (error) {
        if (!(error instanceof ShellSyntaxError)) throw error
        throw refused(`the script ${name} has ${error.message}, which only a shell understands: write it without`)
      }
    })
}
