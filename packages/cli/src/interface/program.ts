import { dirname } from 'node:path'
import ts from 'typescript'
import { placeOfNode, type Refuse } from './place.ts'
import type { SourceFiles } from './source-files.ts'

/** The types other than those of the files and their imports: all types of the tsconfig.json, or only those of the language. */
export type Surroundings = 'all' | 'language'

/**
 * Makes programs of the same files repeatedly. An unchanged file is parsed once for all instances with the same `sources`.
 *
 * `surroundings` is `language` for a program without the types of the browser and of Node. Such types are most of a compiler's input, and no definition uses
 * them. If a file does use them, this program has errors that a program with all types does not have.
 */
export class Programs {
  readonly #files: readonly string[]
  readonly #cwd: string
  readonly #sources: SourceFiles
  readonly #options: ts.CompilerOptions
  #last: ts.Program | undefined

  constructor(files: readonly string[], cwd: string, surroundings: Surroundings, sources: SourceFiles) {
    this.#files = files
    this.#cwd = cwd
    this.#sources = sources
    const options = { ...optionsFor(files, cwd), ...always }
    this.#options = surroundings === 'all' ? options : { ...options, types: [], lib: languageOnly(options) }
  }

  /** Makes a program of the current contents of the files. */
  next(): ts.Program {
    const host = this.#sources.hostFor(this.#options)
    if (this.#options.types?.length === 0) host.resolveTypeReferenceDirectiveReferences = leftOut
    const options = { rootNames: [...this.#files], options: this.#options, host }
    this.#last = ts.createProgram(this.#last === undefined ? options : { ...options, oldProgram: this.#last })
    return this.#last
  }

  /** The user's own files in the last program, without those of packages. */
  ownFiles(): readonly string[] {
    return (this.#last?.getSourceFiles() ?? [])
      .map(({ fileName }) => fileName)
      .filter(name => !name.includes('/node_modules/'))
  }

  /** Refuses the compiler's errors in a file. A missing type would otherwise be read as `any`, and its limits would be lost. */
  refuseErrors(program: ts.Program, file: string, refuse: Refuse): void {
    const source = program.getSourceFile(file)
    if (source === undefined) return
    for (const { start = 0, messageText } of [
      ...program.getSyntacticDiagnostics(source),
      ...program.getSemanticDiagnostics(source),
    ])
      refuse(placeAt(source, start, this.#cwd), ts.flattenDiagnosticMessageText(messageText, ' '))
  }
}

const always: ts.CompilerOptions = {
  ...{ noEmit: true, skipLibCheck: true, incremental: false, composite: false },
  // A matter of style, for the project's own check.
  ...{ noUnusedLocals: false, noUnusedParameters: false },
}

/** Resolves references such as `/// <reference types="node" />` to nothing. */
function leftOut<T>(references: readonly T[]): ts.ResolvedTypeReferenceDirectiveWithFailedLookupLocations[] {
  return references.map(() => ({ resolvedTypeReferenceDirective: undefined }))
}

/** The libraries of these options, without those of browsers and of Windows. */
function languageOnly(options: ts.CompilerOptions): string[] {
  // `lib.d.ts` and `lib.es6.d.ts` include the types of the browser, as does each library with `full` in its name.
  const whole = ts.getDefaultLibFileName(options).replace('.full.', '.')
  const names = options.lib ?? [{ 'lib.d.ts': 'lib.es5.d.ts', 'lib.es6.d.ts': 'lib.es2015.d.ts' }[whole] ?? whole]
  return names.filter(name => !/^lib\.(dom|webworker|scripthost)\./.test(name))
}

function optionsFor(files: readonly string[], cwd: string): ts.CompilerOptions {
  const config = ts.findConfigFile(dirname(files[0] ?? cwd), ts.sys.fileExists)
  if (config === undefined)
    return {
      strict: true,
      target: ts.ScriptTarget.ES2024,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      allowImportingTsExtensions: true,
      types: [],
    }
  const { config: json } = ts.readConfigFile(config, ts.sys.readFile)
  return ts.parseJsonConfigFileContent({ ...json, include: [], files: [...files] }, ts.sys, dirname(config)).options
}

function placeAt(source: ts.SourceFile, start: number, cwd: string): string {
  const { line } = source.getLineAndCharacterOfPosition(start)
  return placeOfNode(source, cwd).replace(/\d+$/, `${line + 1}`)
}
