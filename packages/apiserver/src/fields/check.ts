import { goNumber, isObject, isRawNumber, type Json, type JsonObject, own } from '@wherry/cel/internal'
import { type FieldType, fieldOf, isGranularList } from './field-type.ts'
import { elementOf, ItemError } from './items.ts'
import { elementText, fieldElement } from './path-element.ts'

/**
 * The reasons for which `value` does not match `type`, in the server's words; empty if it matches. A list may not contain an item twice. All reasons are
 * returned. A real server stops at the first unknown field of a map, in Go's random order.
 */
export function typeProblems(value: Json, type: FieldType): string[] {
  if (value === null) return []
  switch (type.kind) {
    case 'any':
      if (isObject(value)) return inMap(value, type)
      return Array.isArray(value) && type.items !== undefined ? inList(value as Json[], type) : []
    case 'map':
      return isObject(value) ? inMap(value, type) : [`: expected map, got ${goPointer(value)}`]
    case 'list':
      return Array.isArray(value) ? inList(value as Json[], type) : [`: expected list, got ${goPointer(value)}`]
    case 'string':
      return typeof value === 'string'
        ? []
        : [`: expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`]
    case 'boolean':
      return typeof value === 'boolean' ? [] : [`: expected boolean, got ${goPointer(value)}`]
    case 'number':
      return typeof value === 'number' || isRawNumber(value)
        ? []
        : [`: expected numeric (int or float), got ${goType(value)}`]
    case 'scalar':
      return isObject(value) || Array.isArray(value) ? [`: expected any scalar, got ${goPointer(value)}`] : []
  }
}

/** Joins the problems into a text. */
export function problemsText(problems: readonly string[]): string {
  return problems.length === 1 ? (problems[0] as string) : ['errors:', ...problems.map(one => `  ${one}`)].join('\n')
}

function inMap(value: JsonObject, type: FieldType): string[] {
  const problems: string[] = []
  for (const name of Object.keys(value)) {
    const path = elementText(fieldElement(name))
    const child = own(value, name)
    const below = fieldOf(type, name)
    if (child === undefined) continue
    if (below !== undefined) for (const problem of typeProblems(child, below)) problems.push(path + problem)
    else if (type.kind !== 'any' || !type.atomic) problems.push(`${path}: field not declared in schema`)
  }
  return problems
}

function inList(list: readonly Json[], type: FieldType): string[] {
  const { items } = type
  if (items === undefined) return []
  const problems: string[] = []
  const seen = new Set<string>()
  for (const [i, item] of list.entries()) {
    let path = `[${i}]`
    if (isGranularList(type)) {
      try {
        const element = elementOf(type, item)
        path = elementText(element)
        if (seen.has(element)) problems.push(`: duplicate entries for key ${path}`)
        seen.add(element)
      } catch (error) {
        if (!(error instanceof ItemError)) throw error
        return [...problems, `: element ${i}: ${error.message}`]
      }
    }
    for (const problem of typeProblems(item, items)) problems.push(path + problem)
  }
  return problems
}

/** A value as Go's `%v` prints a pointer to it. */
function goPointer(value: Json): string {
  return `&{${goPlain(value)}}`
}

function goPlain(value: Json | undefined): string {
  if (value === null || value === undefined) return '<nil>'
  if (typeof value === 'number') return goNumber(value)
  if (isRawNumber(value)) return value.rawJSON
  if (Array.isArray(value)) return `[${value.map(item => goPlain(item as Json)).join(' ')}]`
  if (!isObject(value)) return String(value)
  const entries = Object.keys(value).sort()
  return `map[${entries.map(name => `${name}:${goPlain(own(value, name))}`).join(' ')}]`
}

/** A value as Go's `%#v` prints it. */
function goSyntax(value: Json | undefined): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (Array.isArray(value)) return `[]interface {}{${value.map(item => goSyntax(item as Json)).join(', ')}}`
  if (value === null || value === undefined) return 'interface {}(nil)'
  if (!isObject(value)) return goPlain(value)
  const entries = Object.keys(value).sort()
  return `map[string]interface {}{${entries.map(name => `${JSON.stringify(name)}:${goSyntax(own(value, name))}`).join(', ')}}`
}

function goType(value: Json): string {
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'bool'
  return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}'
}
