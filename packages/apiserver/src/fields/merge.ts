import { isObject, type Json, type JsonObject, own, setOwn } from '@wherry/cel/internal'
import { atomic, type FieldType, fieldOf, isGranularList } from './field-type.ts'
import { elementOf, itemsByElement } from './items.ts'

/** Merges `applied` into `live`: maps field by field, lists by their kind. The applied leaf replaces the live leaf. */
export function merge(live: Json, applied: Json, type: FieldType): Json {
  if (type.atomic) return applied
  if (isObject(live) || isObject(applied)) {
    if (hasOtherForm(live, 'map') || hasOtherForm(applied, 'map')) return applied
    return mergeMaps(isObject(live) ? live : {}, isObject(applied) ? applied : {}, type, applied)
  }
  if (isGranularList(type) && (Array.isArray(live) || Array.isArray(applied))) {
    if (hasOtherForm(live, 'list') || hasOtherForm(applied, 'list')) return applied
    return mergeLists(Array.isArray(live) ? live : [], Array.isArray(applied) ? applied : [], type, applied)
  }
  return applied
}

/** Whether a value is not null, and has another form than the given one. */
function hasOtherForm(value: Json, form: 'map' | 'list'): boolean {
  return value !== null && (form === 'map' ? !isObject(value) : !Array.isArray(value))
}

function mergeMaps(live: JsonObject, applied: JsonObject, type: FieldType, ifEmpty: Json): Json {
  const merged: JsonObject = {}
  let empty = true
  for (const name of Object.keys(live)) {
    const value = live[name]
    if (value === undefined) continue
    const given = own(applied, name)
    setOwn(merged, name, given === undefined ? value : merge(value, given, fieldOf(type, name) ?? atomic))
    empty = false
  }
  for (const name of Object.keys(applied)) {
    const value = applied[name]
    if (value === undefined || own(live, name) !== undefined) continue
    setOwn(merged, name, value)
    empty = false
  }
  return empty ? ifEmpty : merged
}

/** The items of both lists. Applied items keep their order. An item that is only in the live list stays behind the item before it. */
function mergeLists(
  live: readonly Json[],
  applied: readonly Json[],
  type: FieldType & { readonly items: FieldType },
  ifEmpty: Json,
): Json {
  if (live.length === 0 && applied.length === 0) return ifEmpty
  const liveItems = itemsByElement(type, live)
  const appliedItems = itemsByElement(type, applied)
  const left = live.map(item => elementOf(type, item))
  const right = [...appliedItems.keys()]
  const shared = right.filter(element => liveItems.has(element))
  const merged: Json[] = []
  const taken = new Set<string>()
  const take = (element: string): void => {
    taken.add(element)
    const item = appliedItems.get(element)?.[0] as Json
    const old = liveItems.get(element) ?? []
    // An applied item replaces live items that occur more than once.
    merged.push(old.length === 1 ? merge(old[0] as Json, item, type.items) : item)
  }
  let l = 0
  let r = 0
  let nextShared = shared.shift()
  while (l < left.length || r < right.length) {
    const mine = left[l]
    const theirs = right[r]
    if (mine !== undefined && theirs !== undefined) {
      if (mine === theirs) {
        take(theirs)
        l++
        r++
        nextShared = shared.shift()
        continue
      }
      if (appliedItems.has(mine) && nextShared !== undefined && nextShared !== mine) {
        // The item is in both lists, but comes later in the applied order.
        l++
        continue
      }
    }
    if (mine !== undefined) {
      if (!appliedItems.has(mine)) {
        merged.push(live[l] as Json)
        l++
        continue
      }
      if (taken.has(mine)) l++
    }
    if (theirs !== undefined) {
      take(theirs)
      r++
      if (nextShared === theirs) nextShared = shared.shift()
    }
  }
  return merged
}
