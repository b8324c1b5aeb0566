import { dirname, join } from 'node:path'
import ts from 'typescript'
import { root } from '../../tools/workspace.ts'
import type { Block } from './markdown.ts'

/** Checks all blocks against the packages' sources, each as a module. Returns the problems, by page and line. */
export function compile(blocks: readonly Block[]): string[] {
  const files = new Map([...comingFrom(blocks), ...blocks].map((block, index) => [fileOf(block, index), block]))
  const { options } = ts.getParsedCommandLineOfConfigFile(join(root, 'tsconfig.base.json'), {}, systemHost()) ?? {}
  if (options === undefined) throw new Error('tsconfig.base.json can not be read')
  const own = {
    noEmit: true,
    declaration: false,
    isolatedDeclarations: false,
    noUnusedLocals: false,
    noUnusedParameters: false,
  }
  const host = ts.createCompilerHost({ ...options, ...own })
  const { readFile, fileExists } = host
  host.readFile = file => textOf(files.get(file)) ?? readFile(file)
  host.fileExists = file => files.has(file) || fileExists(file)
  const folders = new Set([...files.keys()].map(dirname))
  host.directoryExists = folder => folders.has(folder) || ts.sys.directoryExists(folder)
  const program = ts.createProgram([...files.keys()], { ...options, ...own }, host)
  return [...files].flatMap(([file, block]) => {
    const source = program.getSourceFile(file)
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
    return found.map(diagnostic => inWords(diagnostic, block))
  })
}

/** The files of a page once more, for each page that goes on from it. They come first, since that page may have newer ones. */
function comingFrom(blocks: readonly Block[]): Block[] {
  const pages = new Map(blocks.flatMap(({ page, from }) => (from === undefined ? [] : [[page, from]])))
  return [...pages].flatMap(([page, from]) =>
    blocks.filter(block => block.page === from && block.file !== undefined).map(block => ({ ...block, page })),
  )
}

/** Each page's blocks are in a folder of their own, so that those with a name find each other. */
function fileOf({ page, file }: Block, index: number): string {
  const at = page.replace(/\W+/g, '-')
  return join(root, homeOf(page), `block-of-${at}`, file ?? `${index}.ts`)
}

/** Where a block is taken to stand: what it imports must be a dependency there. */
function homeOf(page: string): string {
  if (page.startsWith('packages/') || page.startsWith('examples/')) return dirname(page)
  return 'test/bench'
}

/** Given code stands before it, all of it a module. */
function textOf(block: Block | undefined): string | undefined {
  return block && `${block.given ?? ''}${block.code}\nexport {}\n`
}

function inWords({ messageText, start = 0 }: ts.Diagnostic, block: Block): string {
  const before = (textOf(block) ?? '').slice(0, start).split('\n').length - 1
  const given = (block.given ?? '').split('\n').length - 1
  const line = block.line + before - given
  const where = before < given ? ', in what is given' : ''
  return `${block.page}:${line}${where}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
}

function systemHost(): ts.ParseConfigFileHost {
  return { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined }
}
