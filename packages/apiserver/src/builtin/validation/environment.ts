import {
  dnsLabelProblems,
  type JsonObject,
  objectAt,
  objectsAt,
  own,
  stringAt,
  subdomainProblems,
} from '@wherry/cel/internal'
import { configKeyProblems } from '../../metadata/names.ts'
import type { Causes } from './causes.ts'
import { checkFieldPath, checkResourceField } from './field-refs.ts'
import { checkNoBacksteps } from './paths.ts'

const badName = "a valid environment variable name must consist only of printable ASCII characters other than '='"
const fields = [
  ...['metadata.name', 'metadata.namespace', 'metadata.uid', 'spec.nodeName', 'spec.serviceAccountName'],
  ...['status.hostIP', 'status.hostIPs', 'status.podIP', 'status.podIPs'],
]

/** Checks the environment of a container. */
export function checkEnvironment(field: string, container: JsonObject, causes: Causes): void {
  for (const [i, one] of objectsAt(container, 'env').entries()) {
    const [at, name] = [`${field}.env[${i}]`, stringAt(one, 'name') ?? '']
    if (name === '') causes.required(`${at}.name`)
    else checkName(`${at}.name`, name, causes)
    const from = objectAt(one, 'valueFrom')
    if (from !== undefined) checkValueFrom(`${at}.valueFrom`, from, (stringAt(one, 'value') ?? '') !== '', causes)
  }
  for (const [i, one] of objectsAt(container, 'envFrom').entries()) {
    checkEnvFrom(`${field}.envFrom`, i, one, causes)
  }
}

function checkName(field: string, name: string, causes: Causes): void {
  if (!/^[ -<>-~]+$/.test(name)) causes.invalid(field, name, badName)
}

function checkValueFrom(field: string, from: JsonObject, hasValue: boolean, causes: Causes): void {
  const given = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'].filter(
    name => own(from, name) !== undefined,
  )
  const path = objectAt(from, 'fieldRef')
  if (path !== undefined) checkFieldPath(`${field}.fieldRef`, path, fields, causes)
  const resource = objectAt(from, 'resourceFieldRef')
  if (resource !== undefined) checkResourceField(`${field}.resourceFieldRef`, resource, false, causes)
  for (const name of ['configMapKeyRef', 'secretKeyRef']) {
    const key = objectAt(from, name)
    if (key !== undefined) checkKey(`${field}.${name}`, key, causes)
  }
  const file = objectAt(from, 'fileKeyRef')
  if (file !== undefined) checkFileKey(`${field}.fileKeyRef`, file, causes)
  if (given.length === 0) {
    const known = '`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`'
    causes.invalid(field, '', `must specify one of: ${known}`)
  } else if (hasValue) causes.invalid(field, '', 'may not be specified when `value` is not empty')
  else if (given.length > 1) causes.invalid(field, '', 'may not have more than one field specified at a time')
}

/** Checks a reference to a file with variables. */
function checkFileKey(field: string, of: JsonObject, causes: Causes): void {
  const [key, volume, path] = ['key', 'volumeName', 'path'].map(name => stringAt(of, name) ?? '') as [
    string,
    string,
    string,
  ]
  if (key === '') causes.required(`${field}.key`)
  else checkName(`${field}.key`, key, causes)
  if (volume === '') causes.required(`${field}.volumeName`)
  else causes.invalid(`${field}.volumeName`, volume, ...dnsLabelProblems(volume))
  if (path === '') causes.required(`${field}.path`)
  else checkNoBacksteps(`${field}.path`, path, causes)
}

function checkKey(field: string, of: JsonObject, causes: Causes): void {
  const [name, key] = [stringAt(of, 'name') ?? '', stringAt(of, 'key') ?? '']
  causes.invalid(`${field}.name`, name, ...subdomainProblems(name))
  if (key === '') causes.required(`${field}.key`)
  else causes.invalid(`${field}.key`, key, ...configKeyProblems(key))
}

function checkEnvFrom(field: string, i: number, one: JsonObject, causes: Causes): void {
  const prefix = stringAt(one, 'prefix') ?? ''
  if (prefix !== '') checkName(`${field}[${i}].prefix`, prefix, causes)
  const given = ['configMapRef', 'secretRef'].filter(name => own(one, name) !== undefined)
  for (const ref of given) {
    const name = stringAt(objectAt(one, ref), 'name') ?? ''
    if (name === '') causes.required(`${field}[${i}].${ref}.name`)
    else causes.invalid(`${field}[${i}].${ref}.name`, name, ...subdomainProblems(name))
  }
  // The server's own path is that of the list, without an index.
  if (given.length === 0) causes.invalid(field, '', 'must specify one of: `configMapRef` or `secretRef`')
  else if (given.length > 1) causes.invalid(field, '', 'may not have more than one field specified at a time')
}
