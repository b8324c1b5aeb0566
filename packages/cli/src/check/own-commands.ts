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
        return commandsOf(script, cwd).flatMap(words => argumentsOf(words, name))
      } catch (error) {
        if (!(error instanceof ShellSyntaxError)) throw error
        throw refused(
          `the script ${oneLine(name)} has ${error.message}, which only a shell understands: write it without`,
        )
      }
    })
}

/** Words that may come before `wherry`: of a package manager that runs a program of the project, and variables. */
const before = /^(npx|pnpx|bunx|npm|pnpm|yarn|bun|exec|dlx|x|--|--?[\w-]+|\w+=.*)$/

/** The arguments of a command if it runs `wherry`. Throws for a command that seems to, because its files would be left out without a word. */
function argumentsOf(words: readonly string[], script: string): readonly (readonly string[])[] {
  const at = words.findIndex(word => /(^|\/)wherry$/.test(word))
  if (at === -1) return []
  const args = words.slice(at + 1)
  if (words.slice(0, at).every(word => before.test(word))) return [args]
  if (!args.includes('--out')) return []
  throw refused(
    `the script ${oneLine(script)} runs wherry by ${oneLine(words[0] ?? '')}: write it as wherry or npx wherry`,
  )
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
