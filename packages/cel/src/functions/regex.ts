import { RE2JS } from 're2js'
import type { Declaration } from '../declarations.ts'
import { CelError, List } from '../values.ts'

const compiled = new Map<string, RE2JS>()
const mostCompiled = 1000

/** Compiles a regular expression in RE2's syntax. Throws the server's message if the pattern is invalid. */
export function compileRegex(pattern: string): RE2JS {
  const known = compiled.get(pattern)
  if (known !== undefined) return known
  const made = RE2JS.compile(pattern)
  if (compiled.size >= mostCompiled) compiled.clear()
  compiled.set(pattern, made)
  return made
}

function regex(pattern: string, prefix: string): RE2JS {
  try {
    return compileRegex(pattern)
  } catch (error) {
    throw new CelError(prefix + (error as Error).message)
  }
}

function matches(text: string, pattern: string): boolean {
  return regex(pattern, '').matcher(text).find()
}

function find(text: string, pattern: string): string {
  const matcher = regex(pattern, 'Illegal regex: ').matcher(text)
  return matcher.find() ? (matcher.group() ?? '') : ''
}

function findAll(text: string, pattern: string, count = -1n): List {
  const matcher = regex(pattern, 'Illegal regex: ').matcher(text)
  const found: string[] = []
  while ((count < 0 || found.length < count) && matcher.find()) found.push(matcher.group() ?? '')
  return new List(found)
}

/** The functions of regular expressions. They are RE2's, so that no match takes more than linear time. */
export const regexes: readonly Declaration[] = [
  ['matches(string, string): bool', matches],
  ['string->matches(string): bool', matches],
  ['string->find(string): string', find],
  ['string->findAll(string): list<string>', findAll],
  ['string->findAll(string, int): list<string>', findAll],
]
