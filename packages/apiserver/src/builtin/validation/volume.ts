import {
  dnsLabelProblems,
  type JsonObject,
  objectAt,
  own,
  qualifiedNameProblems,
  stringAt,
  subdomainProblems,
} from '@wherry/cel/internal'
import { Causes } from './causes.ts'
import { checkClaimSpec } from './claim.ts'
import { checkDriverName } from './driver-name.ts'
import { checkLabels } from './label-selector.ts'
import { checkInnerPath, checkNoBacksteps } from './paths.ts'
import { checkDownward, checkGiven, checkItems, checkMode, checkProjected } from './projected.ts'
import { isNone } from './rules.ts'

const hostPathTypes = [
  ...['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'],
]

/** The names of the volumes that containers can use, each with its source. */
export type PodVolumes = ReadonlyMap<string, string>

/** Checks volumes of Pods. Returns the valid volumes. */
export function checkVolumes(field: string, volumes: readonly JsonObject[], causes: Causes): Map<string, string> {
  const names = new Map<string, string>()
  for (const [i, volume] of volumes.entries()) {
    const found = new Causes()
    const name = stringAt(volume, 'name') ?? ''
    checkSource(`${field}[${i}]`, volume, found)
    if (name === '') found.required(`${field}[${i}].name`)
    else found.invalid(`${field}[${i}].name`, name, ...dnsLabelProblems(name))
    if (names.has(name)) found.duplicate(`${field}[${i}].name`, name)
    if (found.all.length === 0) names.set(name, Object.keys(volume).find(key => key !== 'name') ?? '')
    causes.add(found.all)
  }
  return names
}

/** The sources in the order in which a real server checks them. Only the fields that these functions name are checked, and no other sources. */
const sources: readonly (readonly [string, (field: string, source: JsonObject, causes: Causes) => void])[] = [
  ['emptyDir', checkEmptyDir],
  ['hostPath', checkHostPath],
  ['gitRepo', checkGitRepo],
  ['secret', (field, source, causes) => checkFiles(field, source, 'secretName', causes)],
  ['nfs', checkNfs],
  ['persistentVolumeClaim', (field, source, causes) => checkGiven(field, source, 'claimName', causes)],
  ['downwardAPI', checkDownward],
  ['configMap', (field, source, causes) => checkFiles(field, source, 'name', causes)],
  ['projected', checkProjected],
  ['csi', checkCsi],
  ['ephemeral', checkEphemeral],
  ['image', checkImage],
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

/** Checks a volume with the files of a Secret or a ConfigMap. */
function checkFiles(field: string, source: JsonObject, name: string, causes: Causes): void {
  checkGiven(field, source, name, causes)
  checkMode(`${field}.defaultMode`, own(source, 'defaultMode'), causes)
  checkItems(field, source, causes)
}

function checkCsi(field: string, source: JsonObject, causes: Causes): void {
  const secret = objectAt(source, 'nodePublishSecretRef')
  checkDriverName(`${field}.driver`, own(source, 'driver'), causes, source)
  if (secret === undefined) return
  const name = stringAt(secret, 'name') ?? ''
  if (name === '') causes.required(`${field}.nodePublishSecretRef.name`)
  // The server's own path does not name the reference.
  else causes.invalid(`${field}.name`, name, ...subdomainProblems(name))
}

/** Checks a volume with a claim of its own. */
function checkEphemeral(field: string, source: JsonObject, causes: Causes): void {
  const template = objectAt(source, 'volumeClaimTemplate')
  const at = `${field}.volumeClaimTemplate`
  if (template === undefined) return causes.required(at)
  const metadata = objectAt(template, 'metadata') ?? {}
  for (const key of Object.keys(objectAt(metadata, 'annotations') ?? {}).sort()) {
    causes.invalid(`${at}.metadata.annotations`, key, ...qualifiedNameProblems(key.toLowerCase()))
  }
  checkLabels(`${at}.metadata.labels`, objectAt(metadata, 'labels'), causes)
  for (const [name, value] of Object.entries(metadata)) {
    if (['annotations', 'labels', 'creationTimestamp'].includes(name) || isNone(value)) continue
    causes.forbidden(`${at}.metadata.${name}`, 'cannot be set')
  }
  checkClaimSpec(`${at}.spec`, objectAt(template, 'spec') ?? {}, causes)
}

function checkImage(field: string, source: JsonObject, causes: Causes): void {
  checkGiven(field, source, 'reference', causes)
  causes.chosen(`${field}.pullPolicy`, own(source, 'pullPolicy'), ['Always', 'IfNotPresent', 'Never'])
}

function checkGitRepo(field: string, source: JsonObject, causes: Causes): void {
  checkGiven(field, source, 'repository', causes)
  checkInnerPath(`${field}.directory`, stringAt(source, 'directory') ?? '', causes)
}
