import { dnsLabelProblems, type Json, type JsonObject, objectAt, objectsAt, own, stringAt } from '@wherry/cel/internal'
import { Causes } from './causes.ts'
import { checkFilePath, checkNoBacksteps } from './paths.ts'

const badMode = 'must be a number between 0 and 0777 (octal), both inclusive'
const hostPathTypes = [
  ...['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'],
]

/** Checks volumes of Pods. Returns the names of the valid volumes, which containers can mount. */
export function checkVolumes(field: string, volumes: readonly JsonObject[], causes: Causes): Set<string> {
  const names = new Set<string>()
  for (const [i, volume] of volumes.entries()) {
    const found = new Causes()
    const name = stringAt(volume, 'name') ?? ''
    checkSource(`${field}[${i}]`, volume, found)
    if (name === '') found.required(`${field}[${i}].name`)
    else found.invalid(`${field}[${i}].name`, name, ...dnsLabelProblems(name))
    if (names.has(name)) found.duplicate(`${field}[${i}].name`, name)
    if (found.all.length === 0) names.add(name)
    causes.add(found.all)
  }
  return names
}

/** The sources in the order in which a real server checks them. Only the fields that these functions name are checked, and no other sources. */
const sources: readonly (readonly [string, (field: string, source: JsonObject, causes: Causes) => void])[] = [
  ['emptyDir', checkEmptyDir],
  ['hostPath', checkHostPath],
  ['secret', (field, source, causes) => checkFiles(field, source, 'secretName', causes)],
  ['nfs', checkNfs],
  ['persistentVolumeClaim', (field, source, causes) => checkGiven(field, source, 'claimName', causes)],
  ['configMap', (field, source, causes) => checkFiles(field, source, 'name', causes)],
  ['projected', (field, source, causes) => checkMode(`${field}.defaultMode`, own(source, 'defaultMode'), causes)],
  ['csi', (field, source, causes) => checkGiven(field, source, 'driver', causes)],
]

function checkSource(field: string, volume: JsonObject, causes: Causes): void {
  let has = false
  for (const [name, check] of sources) {
    const source = objectAt(volume, name)
    if (source === undefined) continue
    if (has) causes.forbidden(`${field}.${name}`, 'may not specify more than 1 volume type')
    else check(`${field}.${name}`, source, causes)
    has = true
  }
}

function checkEmptyDir(field: string, source: JsonObject, causes: Causes): void {
  if (stringAt(source, 'sizeLimit')?.startsWith('-')) {
    causes.forbidden(`${field}.sizeLimit`, 'SizeLimit field must be a valid resource quantity')
  }
}

/** Checks a directory of the node. */
export function checkHostPath(field: string, source: JsonObject, causes: Causes): void {
  const path = stringAt(source, 'path') ?? ''
  if (path === '') return causes.required(`${field}.path`)
  checkNoBacksteps(`${field}.path`, path, causes)
  const type = stringAt(source, 'type') ?? ''
  if (!hostPathTypes.includes(type)) causes.unsupported(`${field}.type`, type, hostPathTypes)
}

/** Checks a directory of an NFS server. */
export function checkNfs(field: string, source: JsonObject, causes: Causes): void {
  checkGiven(field, source, 'server', causes)
  checkGiven(field, source, 'path', causes)
  const path = stringAt(source, 'path') ?? ''
  if (!path.startsWith('/')) causes.invalid(`${field}.path`, path, 'must be an absolute path')
}

function checkGiven(field: string, source: JsonObject, name: string, causes: Causes): void {
  if ((stringAt(source, name) ?? '') === '') causes.required(`${field}.${name}`)
}

/** Checks a volume with the files of a Secret or a ConfigMap. */
function checkFiles(field: string, source: JsonObject, name: string, causes: Causes): void {
  checkGiven(field, source, name, causes)
  checkMode(`${field}.defaultMode`, own(source, 'defaultMode'), causes)
  for (const [i, item] of objectsAt(source, 'items').entries()) {
    const at = `${field}.items[${i}]`
    checkGiven(at, item, 'key', causes)
    checkGiven(at, item, 'path', causes)
    checkFilePath(`${at}.path`, stringAt(item, 'path') ?? '', causes)
    checkMode(`${at}.mode`, own(item, 'mode'), causes)
  }
}

function checkMode(field: string, mode: Json | undefined, causes: Causes): void {
  if (typeof mode === 'number' && (mode < 0 || mode > 0o777)) causes.invalid(field, mode, badMode)
}
