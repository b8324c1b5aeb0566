import { isObject, type Json, type JsonObject, objectAt, objectsAt, own, stringAt } from '@wherry/cel/internal'
import type { KubeObject } from '../../objects/object.ts'

/** The cells of a built-in's row, for the columns of its resource. */
export type Cells = (object: KubeObject, now: number) => Json[]

/** How `kubectl get` prints the objects of a built-in resource. */
export interface Printer {
  readonly cells: Cells
  /** The conditions of an object's row, such as that a Pod has ended. */
  conditions?(object: KubeObject): Json[]
  /** The name of the object in a list that is marked as the default. */
  defaultOf?(objects: readonly KubeObject[]): string | undefined
}

export const none = '<none>'

export function nameOf(object: KubeObject): string {
  return object.metadata.name ?? ''
}

export function ageOf(object: KubeObject, now: number): string {
  return since(object.metadata.creationTimestamp ?? '', now)
}

/** A number of a status or a spec; 0 if it is absent. */
export function countAt(of: JsonObject | undefined, field: string): number {
  return Number(own(of ?? {}, field) ?? 0)
}

/** The names and the images of the containers of a template. */
export function containerCells(template: JsonObject | undefined): Json[] {
  const containers = objectsAt(objectAt(template, 'spec'), 'containers')
  return ['name', 'image'].map(field => containers.map(one => stringAt(one, field) ?? '').join(','))
}

/** Labels in the form of a selector; `<none>` if there are none. */
export function labelsText(labels: JsonObject | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value as string}`)
  return pairs.length === 0 ? none : pairs.sort().join(',')
}

/** The sum of the sizes of lists and maps. */
export function sizeOf(object: KubeObject, ...fields: string[]): number {
  return fields.reduce((sum, field) => {
    const value = own(object, field)
    return sum + (isObject(value) ? Object.keys(value).length : Array.isArray(value) ? value.length : 0)
  }, 0)
}

/** The time since another time, as kubectl prints it: `5s`, `3m20s`, `47h`, `3d`. */
export function since(time: string, now: number): string {
  const at = Date.parse(time)
  return Number.isNaN(at) ? '<unknown>' : durationText(Math.floor((now - at) / 1000))
}

/** A duration as kubectl prints it. */
export function durationText(seconds: number): string {
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 10) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m${seconds % 60}s`
  if (minutes < 180) return `${minutes}m`
  const hours = Math.floor(minutes / 60)
  if (hours < 8) return minutes % 60 === 0 ? `${hours}h` : `${hours}h${minutes % 60}m`
  if (hours < 48) return `${hours}h`
  const days = Math.floor(hours / 24)
  if (hours < 192) return hours % 24 === 0 ? `${days}d` : `${days}d${hours % 24}h`
  if (days < 730) return `${days}d`
  const years = Math.floor(days / 365)
  return years < 8 && days % 365 > 0 ? `${years}y${days % 365}d` : `${years}y`
}
