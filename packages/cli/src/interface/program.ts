import { dirname } from 'node:path'
import ts from 'typescript'
import { placeOfNode, type Refuse } from './tagged.ts'

/** The files and all that they import, with the options of the nearest tsconfig.json. What the compiler finds wrong in the files is refused. */
export function programOf(files: readonly string[], cwd: string, refuse: Refuse): ts.Program {
  const program = ts.createProgram({ rootNames: [...files], options: { ...optionsFor(files, cwd), ...always } })
  for (const file of files) {
    const source = program.getSourceFile(file)
    if (source === undefined) continue
    // A type that is not found would be taken for `any`, and its limits would be lost.
    for (const { start = 0, messageText } of [
      ...program.getSyntacticDiagnostics(source),
      ...program.getSemanticDiagnostics(source),
    ])
      refuse(placeAt(source, start, cwd), ts.flattenDiagnosticMessageText(messageText, ' '))
  }
  return program
}

const always: ts.CompilerOptions = {
  ...{ noEmit: true, skipLibCheck: true, incremental: false, composite: false },
  // A matter of style, for the project's own check.
  ...{ noUnusedLocals: false, noUnusedParameters: false },
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
