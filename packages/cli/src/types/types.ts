import { definitionsIn } from '../definitions-in.ts'
import { refused } from '../failure.ts'
import type { CommandHost } from '../host.ts'
import { OutFolder } from '../out-folder.ts'
import { StaleFiles } from '../renewal.ts'
import { interfacesOf } from './interfaces.ts'

/** The options of `wherry types`. Its help describes them. */
export interface TypesOptions {
  readonly out?: string
  readonly check?: true
}

/** Writes or checks the interfaces of the definitions in files. */
export async function types(files: readonly string[], { out, check }: TypesOptions, host: CommandHost): Promise<void> {
  const written = new Map<string, string>()
  for (const file of files)
    for (const definition of await definitionsIn(file, host)) {
      const name = `${definition.spec.names.kind.toLowerCase()}.ts`
      const made = interfacesOf(definition)
      if ((written.get(name) ?? made) !== made) throw refused(`two kinds have the name ${definition.spec.names.kind}`)
      written.set(name, made)
    }
  if (out === undefined) {
    host.stdout.write([...written.values()].join('\n'))
    return
  }
  const folder = new OutFolder(out, host.cwd)
  let areCurrent = true
  for (const [name, made] of written) {
    const found = await folder.read(name)
    const state = found === undefined ? 'missing' : (await isCurrent(found, made)) ? 'current' : 'stale'
    if (check) areCurrent &&= state === 'current'
    else if (state !== 'current') await folder.write(name, made)
    host.stdout.write(`${folder.shown(name)}: ${check || state === 'current' ? state : 'written'}\n`)
  }
  if (!areCurrent) throw new StaleFiles(['types', ...files, '--out', out])
}

/** Whether a file is current. The compiler takes half a second to load, so it is loaded only for files that differ. */
async function isCurrent(found: string, made: string): Promise<boolean> {
  return found === made || (await import('./current.ts')).isCurrentTypes(found, made)
}
