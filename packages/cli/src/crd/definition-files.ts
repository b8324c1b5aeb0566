import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
import { refused, wrongUsage } from '../failure.ts'
import type { InterfaceFiles } from '../interface/definitions.ts'
import type { SourceFiles } from '../interface/source-files.ts'
import { type Exported, exportedFrom, type Policy } from './exported.ts'
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

/** Reads the definitions and the policies of the same files, again and again. */
export class DefinitionFiles {
  readonly #files: readonly string[]
  readonly #cwd: string
  readonly #sources: SourceFiles | undefined
  #last: Read | undefined

  /**
   * @param files the paths as the user wrote them, relative to `cwd`
   * @param sources the sources that were parsed already for other files with the same options
   */
  constructor(files: readonly string[], cwd: string, sources?: SourceFiles) {
    this.#files = [...new Set(files)]
    this.#cwd = cwd
    this.#sources = sources
  }

  /** The definitions of interfaces, then the definitions and policies that modules export. Node loads a module only once. */
  async exported(): Promise<Exported> {
    return this.#exportedBy(await this.#kinds())
  }

  /** The definitions of interfaces. Rejects if there are modules. */
  async interfaceDefinitions(): Promise<readonly CustomResourceDefinition[]> {
    const kinds = await this.#kinds()
    if (kinds.modules.length > 0)
      throw wrongUsage(
        `${kinds.modules.join(', ')}: --watch takes files with interfaces that have the tag @group. Run node --watch for modules.`,
      )
    return (await this.#exportedBy(kinds)).definitions
  }

  async #exportedBy({ interfaces, modules }: Kinds): Promise<Exported> {
    const found = new Map<string, { readonly file: string; readonly definition: CustomResourceDefinition }>()
    const policies = new Map<string, { readonly file: string; readonly policy: Policy }>()
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
    for (const file of modules) {
      const exported = await exportedFrom(resolve(this.#cwd, file), file)
      add(file, exported.definitions)
      for (const policy of exported.policies) {
        const name = policy.policy.metadata?.name ?? ''
        const other = policies.get(name)
        if (other !== undefined && other.policy !== policy)
          throw refused(`${other.file} and ${file} both have a policy ${name}: give one of them another name`)
        policies.set(name, { file, policy })
      }
    }
    await this.#refuseWhatServersRefuse([...found.values()])
    return {
      definitions: [...found.values()].map(({ definition }) => definition),
      policies: [...policies.values()].map(({ policy }) => policy),
    }
  }

  /** The files, and all files that their interfaces were read from, except for those of packages. */
  ownFiles(): ReadonlySet<string> {
    return new Set([...this.#files.map(file => resolve(this.#cwd, file)), ...(this.#last?.reader.ownFiles() ?? [])])
  }

  /** Whether a file has changed since it was parsed. A changed file is parsed again for the next result. */
  haveChanged(files: ReadonlySet<string>): boolean {
    return this.#last?.reader.haveChanged(files) ?? false
  }

  async #ofInterfaces(files: readonly string[]): Promise<readonly CustomResourceDefinition[]> {
    if (!isDeepStrictEqual(this.#last?.files, files)) {
      // The compiler takes half a second to load, so only files that need it load it.
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
    const modules = await modulesAmong(this.#files, this.#cwd)
    return { interfaces: this.#files.filter(file => !modules.includes(file)), modules }
  }
}

/** The files that are run by Node, since they have no interface with the tag `@group`. `--watch` accepts none of them. */
export async function modulesAmong(files: readonly string[], cwd: string): Promise<readonly string[]> {
  const modules: string[] = []
  for (const file of files) if (!(await isOfInterfaces(file, cwd))) modules.push(file)
  return modules
}

/** Whether a file has an interface with the tag `@group`. Such a file is parsed and not run. */
async function isOfInterfaces(file: string, cwd: string): Promise<boolean> {
  const text = await readFile(resolve(cwd, file), 'utf8').catch(() => {
    throw wrongUsage(`${file} can't be read`)
  })
  return /^\s*(\/\*)?\*+\s*@group\s/m.test(text)
}
