import { isObject, type Json, type JsonObject, own } from '@wherry/cel/internal'
import type { Causes, Check } from './causes.ts'

/** Checks the value at the path `at`. `of` is the object that has the value. */
export type Rule = (at: string, value: Json | undefined, causes: Causes, of: JsonObject) => void

/** Rules by field, in the order in which a real server checks the fields: `name`, `spec.hard`. The rules of `''` are for the object itself. */
export type Rules = Readonly<Record<string, Rule | readonly Rule[]>>

/** Checks the fields of an object. */
export function fields(rules: Rules): Rule {
  const all = Object.entries(rules).map(([name, rule]) => ({
    name,
    keys: name === '' ? [] : name.split('.'),
    rules: Array.isArray(rule) ? (rule as readonly Rule[]) : [rule as Rule],
  }))
  return (at, value, causes) => {
    if (!isObject(value)) return
    for (const { name, keys, rules } of all) {
      const path = at === '' || name === '' ? at + name : `${at}.${name}`
      const found = keys.reduce<Json | undefined>(
        (inner, key) => (isObject(inner) ? own(inner, key) : undefined),
        value,
      )
      for (const rule of rules) rule(path, found, causes, value)
    }
  }
}

/** The check of objects with these rules. */
export function checkOf(rules: Rules): Check {
  const rule = fields(rules)
  return (object, causes) => rule('', object, causes, object)
}

/** Checks each item of a list. */
export function each(...rules: readonly Rule[]): Rule {
  return (at, list, causes, of) => {
    if (!Array.isArray(list)) return
    for (const [i, item] of list.entries()) {
      for (const rule of rules) rule(`${at}[${i}]`, item as Json, causes, of)
    }
  }
}

/** Checks each entry of a map, in the order of the keys. */
export function entries(check: (at: string, key: string, value: Json, causes: Causes) => void): Rule {
  return (at, map, causes) => {
    if (!isObject(map)) return
    for (const key of Object.keys(map).sort()) check(`${at}[${key}]`, key, own(map, key) as Json, causes)
  }
}

/** The words of a real server's refusals before a list of alternatives. */
export const anyOf = 'one of'

/** Whether a value is one that Go leaves out: nothing, an empty text, list or map. */
export function isNone(value: Json | undefined): boolean {
  if (value == null || value === '') return true
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0
}

/** Checks that the value exists. */
export function required(why = ''): Rule {
  return (at, value, causes) => {
    if (isNone(value)) causes.required(at, why)
  }
}

/** As {@link required}, for a field that a real server checks by the tags of its types. */
export const requiredByTag: Rule = (at, value, causes) => {
  if (isNone(value)) causes.last.required(at)
}

/** Checks that the text exists, and is in `known`. */
export function chosen(...known: readonly string[]): Rule {
  return (at, value, causes) => causes.chosen(at, value, known)
}

/** Checks that the text is in `known`, if it exists. */
export function maybe(...known: readonly string[]): Rule {
  return (at, value, causes) => {
    if (value !== undefined && !known.includes(value as string)) causes.unsupported(at, value, known)
  }
}

/** Checks that the text has none of the problems that `of` finds. Accepts no text, and an empty text. */
export function free(of: (text: string) => readonly string[]): Rule {
  return (at, value, causes) => {
    if (typeof value === 'string' && value !== '') causes.invalid(at, value, ...of(value))
  }
}

/** As {@link free}, but also checks an empty text. */
export function freeIfGiven(of: (text: string) => readonly string[]): Rule {
  return (at, value, causes) => {
    if (typeof value === 'string') causes.invalid(at, value, ...of(value))
  }
}

/** As {@link free}, but also checks an empty text, and no text as an empty one. */
export function always(of: (text: string) => readonly string[]): Rule {
  return (at, value, causes) => {
    const text = typeof value === 'string' ? value : ''
    causes.invalid(at, text, ...of(text))
  }
}

/** Checks that the number is in this range, if it exists. */
export function between(least: number, most: number, why: string): Rule {
  return (at, value, causes) => {
    if (typeof value === 'number' && (value < least || value > most)) causes.invalid(at, value, why)
  }
}

export const notNegative: Rule = (at, value, causes) => causes.notNegative(at, value)

/** Checks that the list has at most `count` items. */
export function atMost(count: number): Rule {
  return (at, value, causes) => {
    if (Array.isArray(value) && value.length > count) causes.tooMany(at, value.length, count)
  }
}

/** Checks that no two items of the list have the same value of a field, or are the same if `field` is empty. */
export function unique(field: string): Rule {
  return (at, list, causes) => {
    if (!Array.isArray(list)) return
    const seen = new Set<Json | undefined>()
    for (const [i, item] of list.entries()) {
      const value = field === '' ? (item as Json) : isObject(item) ? (own(item, field) ?? '') : undefined
      if (seen.has(value)) causes.duplicate(`${at}[${i}]${field === '' ? '' : `.${field}`}`, value ?? null)
      seen.add(value)
    }
  }
}
