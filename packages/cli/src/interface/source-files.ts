import ts from 'typescript'

/**
 * Files that were parsed, kept from one program to the next. All these programs have the same options, except for `lib` and `types`,
 * which decide the files of a program.
 */
export class SourceFiles {
  readonly #parsed = new Map<string, ts.SourceFile>()

  hostFor(options: ts.CompilerOptions): ts.CompilerHost {
    const host = ts.createCompilerHost(options)
    const { getSourceFile } = host
    host.getSourceFile = (name, ...rest) => {
      const found = this.#parsed.get(name) ?? getSourceFile(name, ...rest)
      if (found !== undefined) this.#parsed.set(name, found)
      return found
    }
    return host
  }

  /** Forgets the files that were changed or deleted since they were parsed. Returns true if there were any. */
  forgetChanged(files: Iterable<string>): boolean {
    let hasChanged = false
    for (const name of files) {
      if (this.#parsed.get(name)?.text === ts.sys.readFile(name)) continue
      this.#parsed.delete(name)
      hasChanged = true
    }
    return hasChanged
  }
}
