import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import ts from 'typescript'

/** One import in a source file; `typeOnly` ones are gone when it runs. */
export interface Import {
  readonly from: string
  readonly specifier: string
  readonly typeOnly: boolean
}

/** Every import, re-export, dynamic import and import type of a source text. */
export function importsOf(file: string, text: string): Import[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false)
  const found: Import[] = []
  const add = (specifier: ts.Node | undefined, typeOnly: boolean): void => {
    if (specifier && ts.isStringLiteralLike(specifier)) found.push({ from: file, specifier: specifier.text, typeOnly })
  }
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, isTypeOnly(node.importClause))
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly)
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true)
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0], false)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function isTypeOnly(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true
  const named = clause.namedBindings
  if (clause.name || !named || !ts.isNamedImports(named)) return false
  return named.elements.length > 0 && named.elements.every(element => element.isTypeOnly)
}

/** The imports of each file that was parsed: several tests ask for the same files. */
const parsed = new Map<string, Import[]>()

function importsIn(file: string): Import[] {
  const found = parsed.get(file) ?? importsOf(file, readFileSync(file, 'utf8'))
  parsed.set(file, found)
  return found
}

/** The imports of every source file below `folder`, those of tests only when asked for. */
export function importsBelow(folder: string, tests: boolean): Import[] {
  return globSync('src/**/*.ts', { cwd: folder })
    .filter(name => tests || !isTestCode(name))
    .flatMap(name => importsIn(join(folder, name)))
}

/** Code that only tests use: it is not published. */
export function isTestCode(name: string): boolean {
  return /\.(test|test-d|fixture|contract)\.ts$|\/testkit\//.test(name)
}

/** The first circle of files that need each other's values at run time; undefined where there is none. */
export function firstCycle(imports: readonly Import[]): string[] | undefined {
  const needs = new Map<string, string[]>()
  for (const { from, specifier, typeOnly } of imports) {
    if (typeOnly || !specifier.startsWith('.')) continue
    needs.set(from, [...(needs.get(from) ?? []), resolve(dirname(from), specifier)])
  }
  const done = new Set<string>()
  const walk = (file: string, trail: readonly string[]): string[] | undefined => {
    if (trail.includes(file)) return [...trail.slice(trail.indexOf(file)), file]
    if (done.has(file)) return undefined
    for (const next of needs.get(file) ?? []) {
      const cycle = walk(next, [...trail, file])
      if (cycle) return cycle
    }
    done.add(file)
    return undefined
  }
  for (const file of needs.keys()) {
    const cycle = walk(file, [])
    if (cycle) return cycle
  }
  return undefined
}

/**
 * The first circle of folders below `src` that import each other, types included; undefined if there is none.
 *
 * A folder is the files that are directly in it: a folder within it counts for itself. The root of `src` is no part of the
 * package, so each of its files counts for itself; a circle of such files alone is not looked for.
 */
export function folderCircle(src: string, imports: readonly Import[]): string[] | undefined {
  const partOf = (file: string): string => {
    const path = relative(src, file)
    return dirname(path) === '.' ? path : dirname(path)
  }
  const needs = new Map<string, Set<string>>()
  for (const { from, specifier } of imports) {
    if (!specifier.startsWith('.')) continue
    const [part, other] = [partOf(from), partOf(resolve(dirname(from), specifier))]
    if (part !== other) needs.set(part, (needs.get(part) ?? new Set()).add(other))
  }
  const folders = [...needs.keys()].filter(part => !part.endsWith('.ts'))
  for (const folder of folders.toSorted()) {
    const circle = wayBack(folder, needs)
    if (circle) return circle
  }
  return undefined
}

/** The shortest way from `start` to itself; undefined if there is none. */
function wayBack(start: string, needs: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined {
  const cameFrom = new Map<string, string>()
  const queue = [start]
  for (const part of queue) {
    for (const next of needs.get(part) ?? []) {
      if (cameFrom.has(next)) continue
      cameFrom.set(next, part)
      if (next !== start) queue.push(next)
      else {
        const way = [start]
        for (let at = part; at !== start; at = cameFrom.get(at) as string) way.unshift(at)
        return [start, ...way]
      }
    }
  }
  return undefined
}
