import ts from 'typescript'

/**
 * Files that were parsed, kept from one program to the next. All these programs have the same options, except for those that say which files a program
 * has: `lib` and `types`.
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

  /** Forgets the files that have changed since they were parsed, or that are gone. Returns whether there were any. */
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
