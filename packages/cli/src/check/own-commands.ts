import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isRecord, textsByName } from '../definition/shape.ts'
import { refused, wrongUsage } from '../failure.ts'
import { oneLine } from '../one-line.ts'

/** The commands of `wherry` in the scripts of the package, without `wherry`. */
export async function ownCommands(cwd: string): Promise<readonly (readonly string[])[]> {
  const text = await readFile(join(cwd, 'package.json'), 'utf8').catch(() => {
    throw wrongUsage('there is no package.json here')
  })
  const scripts = scriptsIn(text)
  // Imported here, so that other commands do not load this module.
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
        throw refused(
          `the script ${oneLine(name)} has ${error.message}, which only a shell understands: write it without`,
        )
      }
    })
}

function scriptsIn(text: string): Readonly<Record<string, string>> {
  let found: unknown
  try {
    found = JSON.parse(text)
  } catch (error) {
    throw refused(`package.json: ${oneLine((error as Error).message)}`, error)
  }
  const scripts = isRecord(found) ? (found.scripts ?? {}) : undefined
  if (!textsByName.ok(scripts)) throw refused('package.json: scripts takes commands by name')
  return scripts as Readonly<Record<string, string>>
}
