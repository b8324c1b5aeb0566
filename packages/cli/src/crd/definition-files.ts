import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
import { refused, wrongUsage } from '../failure.ts'
import type { InterfaceFiles } from '../interface/definitions.ts'
import type { SourceFiles } from '../interface/source-files.ts'
import { exportedDefinitions } from './exported.ts'
import { serverRefusals } from './server-refusals.ts'

interface Read {
  readonly files: readonly string[]
  readonly reader: InterfaceFiles
}

/** The files by how their definitions are read. */
interface Kinds {
  readonly interfaces: readonly string[]
  readonly modules: readonly string[]
}

/** Reads the definitions of the same files, again and again. */
export class DefinitionFiles {
  readonly #files: readonly string[]
  readonly #cwd: string
  readonly #sources: SourceFiles | undefined
  #last: Read | undefined

  /**
   * @param files as the user wrote them, relative to `cwd`
   * @param sources what was parsed for other files with the same options, which is not parsed again
   */
  constructor(files: readonly string[], cwd: string, sources?: SourceFiles) {
    this.#files = [...new Set(files)]
    this.#cwd = cwd
    this.#sources = sources
  }

  /** The definitions of all files: those of interfaces, then those that modules export. Node loads a module only once. */
  async definitions(): Promise<readonly CustomResourceDefinition[]> {
    return this.#definitionsOf(await this.#kinds())
  }

  /** As {@link definitions}, of interfaces only. */
  async interfaceDefinitions(): Promise<readonly CustomResourceDefinition[]> {
    const kinds = await this.#kinds()
    if (kinds.modules.length > 0)
      throw wrongUsage(
        `${kinds.modules.join(', ')}: --watch takes files with interfaces that have the tag @group. Run node --watch for modules.`,
      )
    return this.#definitionsOf(kinds)
  }

  async #definitionsOf({ interfaces, modules }: Kinds): Promise<readonly CustomResourceDefinition[]> {
    const found = new Map<string, { readonly file: string; readonly definition: CustomResourceDefinition }>()
    const add = (file: string, definitions: readonly CustomResourceDefinition[]): void => {
      for (const definition of definitions) {
        const name = definition.metadata?.name ?? ''
        const other = found.get(name)
        if (other !== undefined && other.definition !== definition)
          throw refused(`${other.file} and ${file} both define ${name}`)
        found.set(name, { file, definition })
      }
    }
    if (interfaces.length > 0) add(interfaces.join(', '), await this.#ofInterfaces(interfaces))
    for (const file of modules) add(file, await exportedDefinitions(resolve(this.#cwd, file), file))
    await this.#refuseWhatServersRefuse([...found.values()])
    return [...found.values()].map(({ definition }) => definition)
  }

  /** The files, and all that their interfaces were read from, but for packages. */
  ownFiles(): ReadonlySet<string> {
    return new Set([...this.#files.map(file => resolve(this.#cwd, file)), ...(this.#last?.reader.ownFiles() ?? [])])
  }

  /** Whether one of these files has changed since it was parsed. It is then parsed again. */
  haveChanged(files: ReadonlySet<string>): boolean {
    return this.#last?.reader.haveChanged(files) ?? false
  }

  async #ofInterfaces(files: readonly string[]): Promise<readonly CustomResourceDefinition[]> {
    if (!isDeepStrictEqual(this.#last?.files, files)) {
      // The compiler takes half a second to load: only for files that need it.
      const { InterfaceFiles } = await import('../interface/definitions.ts')
      const paths = files.map(file => resolve(this.#cwd, file))
      this.#last = { files, reader: new InterfaceFiles(paths, this.#cwd, this.#sources) }
    }
    return this.#last?.reader.definitions() ?? []
  }

  async #refuseWhatServersRefuse(
    found: readonly { readonly file: string; readonly definition: CustomResourceDefinition }[],
  ): Promise<void> {
    const problems = new Set<string>()
    for (const { file, definition } of found)
      for (const { version, path, message } of await serverRefusals(definition))
        problems.add(
          `${this.#last?.reader.placeOf(definition, version, path) ?? file}: ${path || 'the object'}: ${message}`,
        )
    if (problems.size > 0) throw refused([...problems].join('\n'))
  }

  async #kinds(): Promise<Kinds> {
    const modules: string[] = []
    const interfaces: string[] = []
    for (const file of this.#files) ((await isOfInterfaces(file, this.#cwd)) ? interfaces : modules).push(file)
    return { interfaces, modules }
  }
}

/** Whether a file has an interface with the tag `@group`, which is then read and not run. */
async function isOfInterfaces(file: string, cwd: string): Promise<boolean> {
  const text = await readFile(resolve(cwd, file), 'utf8').catch(() => {
    throw wrongUsage(`${file} can't be read`)
  })
  return /^\s*(\/\*)?\*+\s*@group\s/m.test(text)
}
