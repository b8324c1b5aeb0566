import { type Json, type JsonObject, objectAt, objectsAt, own, stringAt } from '@wherry/cel/internal'
import type { Causes } from './causes.ts'
import { checkFieldPath, checkResourceField } from './field-refs.ts'
import { checkFilePath } from './paths.ts'
import { anyOf } from './rules.ts'

const badMode = 'must be a number between 0 and 0777 (octal), both inclusive'
const minSeconds = 600
const maxSeconds = 2 ** 32
const ofFiles = ['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid']

export function checkMode(field: string, mode: Json | undefined, causes: Causes): void {
  if (typeof mode === 'number' && (mode < 0 || mode > 0o777)) causes.invalid(field, mode, badMode)
}

export function checkGiven(field: string, source: JsonObject, name: string, causes: Causes): void {
  if ((stringAt(source, name) ?? '') === '') causes.required(`${field}.${name}`)
}

/** Checks the keys of a Secret or a ConfigMap, and the paths of their files. */
export function checkItems(field: string, source: JsonObject, causes: Causes): void {
  for (const [i, item] of objectsAt(source, 'items').entries()) {
    const at = `${field}.items[${i}]`
    checkGiven(at, item, 'key', causes)
    checkGiven(at, item, 'path', causes)
    checkFilePath(`${at}.path`, stringAt(item, 'path') ?? '', causes)
    checkMode(`${at}.mode`, own(item, 'mode'), causes)
  }
}

/** Checks the fields of a Pod that are files. A real server's paths have no index. */
function checkPodFields(field: string, source: JsonObject, causes: Causes): void {
  for (const file of objectsAt(source, 'items')) {
    checkGiven(field, file, 'path', causes)
    checkFilePath(`${field}.path`, stringAt(file, 'path') ?? '', causes)
    const [ofPod, ofContainer] = [objectAt(file, 'fieldRef'), objectAt(file, 'resourceFieldRef')]
    if (ofPod !== undefined) {
      checkFieldPath(`${field}.fieldRef`, ofPod, ofFiles, causes)
      if (ofContainer !== undefined) {
        causes.invalid(field, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously')
      }
    } else if (ofContainer !== undefined) checkResourceField(`${field}.resourceFieldRef`, ofContainer, true, causes)
    else causes.required(field, `${anyOf} fieldRef and resourceFieldRef is required`)
    checkMode(`${field}.mode`, own(file, 'mode'), causes)
  }
}

/** Checks a volume of the fields of a Pod. */
export function checkDownward(field: string, source: JsonObject, causes: Causes): void {
  checkMode(`${field}.defaultMode`, own(source, 'defaultMode'), causes)
  checkPodFields(field, source, causes)
}

/** Checks a volume with the files of several sources. Their paths must differ. */
export function checkProjected(field: string, volume: JsonObject, causes: Causes): void {
  checkMode(`${field}.defaultMode`, own(volume, 'defaultMode'), causes)
  const paths = new Set<string>()
  for (const [i, source] of objectsAt(volume, 'sources').entries()) {
    const at = `${field}.sources[${i}]`
    for (const kind of ['secret', 'configMap', 'downwardAPI']) {
      const files = objectAt(source, kind)
      if (files === undefined) continue
      if (kind === 'downwardAPI') checkPodFields(`${at}.${kind}`, files, causes)
      else {
        checkGiven(`${at}.${kind}`, files, 'name', causes)
        checkItems(`${at}.${kind}`, files, causes)
      }
      for (const item of objectsAt(files, 'items')) {
        const path = stringAt(item, 'path') ?? ''
        if (paths.has(path)) causes.invalid(field, stringAt(files, 'name') ?? path, 'conflicting duplicate paths')
        else if (path !== '') paths.add(path)
      }
    }
    const token = objectAt(source, 'serviceAccountToken')
    if (token !== undefined) checkToken(field, `${at}.serviceAccountToken`, token, causes)
    if (Object.keys(source).length > 1) causes.forbidden(at, 'may not specify more than 1 volume type per source')
  }
}

function checkToken(field: string, at: string, token: JsonObject, causes: Causes): void {
  const [seconds, path] = [own(token, 'expirationSeconds'), stringAt(token, 'path') ?? '']
  if (typeof seconds === 'number' && seconds < minSeconds) {
    causes.invalid(`${at}.expirationSeconds`, seconds, 'may not specify a duration less than 10 minutes')
  }
  if (typeof seconds === 'number' && seconds > maxSeconds) {
    causes.invalid(`${at}.expirationSeconds`, seconds, 'may not specify a duration larger than 2^32 seconds')
  }
  // The server's own path is that of the volume.
  if (path === '') causes.required(`${field}.path`)
  else checkFilePath(`${field}.path`, path, causes)
}
